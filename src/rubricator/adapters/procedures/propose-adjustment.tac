-- The contract `propose-adjustment` as a Tactus procedure. Prompt, message and schema come from the contract; what comes back is
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
        local reader = Agent("adjuster") {
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
    adjuster = {message = "{}"}
}

Specifications([[
Feature: Propose a change to one criterion

  Scenario: A narrowing comes back with its text
    Given the input instructions is "Propose one change."
    And the input message is "Hook rewards a strong opening of any kind."
    And the agent "adjuster" responds with '{"action": "narrow", "proposed_text": "A strong opening that is also true.", "weight": null, "rationale": "Loud is not strong."}'
    When the procedure runs
    Then the procedure should complete successfully
    And the output answer should match pattern "also true"

  Scenario: A fourth action is asked for again
    Given the input instructions is "Propose one change."
    And the input message is "Hook rewards a strong opening of any kind."
    And the input refused is "{}"
    And the input complaint is "action: it must be one of three."
    And the agent "adjuster" responds with '{"action": "narrow", "proposed_text": "A strong opening that is also true.", "weight": null, "rationale": "Loud is not strong."}'
    When the procedure runs
    Then the procedure should complete successfully
    And the output answer should match pattern "also true"

  Scenario: Prose around the answer is left for the contract to judge
    Given the input instructions is "Propose one change."
    And the input message is "Hook rewards a strong opening of any kind."
    And the agent "adjuster" responds with 'I have read it all. {"action": "narrow", "proposed_text": "A strong opening that is also true.", "weight": null, "rationale": "Loud is not strong."}'
    When the procedure runs
    Then the procedure should complete successfully
    And the output answer should match pattern "^I have read it all"
]])
