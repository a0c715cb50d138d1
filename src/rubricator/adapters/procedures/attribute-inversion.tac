-- The contract `attribute-inversion` as a Tactus procedure. Prompt, message and schema come from the contract; what comes back is
-- validated there, and asked for once more with what was wrong with it.

Procedure {
    input = {
        instructions = field.string{required = true},
        message = field.string{required = true},
        refused = field.string{default = ""},
        complaint = field.string{default = ""},
        provider = field.string{default = "openai"},
        model = field.string{default = "unnamed"},
        timeout = field.number{default = 60},
    },
    output = {
        answer = field.string{required = true},
        tokens_in = field.number{},
        tokens_out = field.number{},
    },
    function(input)
        local reader = Agent("attributor") {
            provider = input.provider,
            model = input.model,
            request_timeout = input.timeout,
            system_prompt = input.instructions,
        }
        local message = input.message
        if input.complaint ~= "" then
            message = message .. "\n\n# Your answer before\n\n" .. input.refused .. "\n\n" .. input.complaint
        end
        local turn = reader({message = message})
        local usage = turn.usage or {}
        return {
            answer = type(turn.output) == "string" and turn.output or Json.encode(turn.output),  -- JSON comes parsed
            tokens_in = usage.prompt_tokens,
            tokens_out = usage.completion_tokens,
        }
    end
}

Mocks {
    attributor = {message = "{}"}
}

Specifications([[
Feature: Attribute an inversion to one criterion

  Scenario: The criterion and its quote come back as they were given
    Given the input instructions is "Name one criterion."
    And the input message is "The owner has A above B; the evaluator has B above A."
    And the agent "attributor" responds with '{"criterion": "Hook", "quote": "a strong opening", "explanation": "B opens loudly."}'
    When the procedure runs
    Then the procedure should complete successfully
    And the output answer should match pattern "a strong opening"

  Scenario: A criterion that does not exist is asked for again
    Given the input instructions is "Name one criterion."
    And the input message is "The owner has A above B; the evaluator has B above A."
    And the input refused is "{}"
    And the input complaint is "criterion: there is no such criterion."
    And the agent "attributor" responds with '{"criterion": "Hook", "quote": "a strong opening", "explanation": "B opens loudly."}'
    When the procedure runs
    Then the procedure should complete successfully
    And the output answer should match pattern "a strong opening"

  Scenario: Prose around the answer is left for the contract to judge
    Given the input instructions is "Name one criterion."
    And the input message is "The owner has A above B; the evaluator has B above A."
    And the agent "attributor" responds with 'I have read it all. {"criterion": "Hook", "quote": "a strong opening", "explanation": "B opens loudly."}'
    When the procedure runs
    Then the procedure should complete successfully
    And the output answer should match pattern "^I have read it all"
]])
