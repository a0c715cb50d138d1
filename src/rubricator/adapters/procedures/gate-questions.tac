-- The contract `gate-questions` as a Tactus procedure. Prompt, message and schema come from the contract; what comes back is
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
        local reader = Agent("gatekeeper") {
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
    gatekeeper = {message = "{}"}
}

Specifications([[
Feature: Gate the questions to experts

  Scenario: Every question gets its status
    Given the input instructions is "Give each question a status."
    And the input message is "One question, one passage."
    And the agent "gatekeeper" responds with '{"questions": [{"number": 1, "status": "true_open_question", "citations": []}]}'
    When the procedure runs
    Then the procedure should complete successfully
    And the output answer should match pattern "true_open_question"

  Scenario: A question that was left out is asked for again
    Given the input instructions is "Give each question a status."
    And the input message is "One question, one passage."
    And the input refused is "{}"
    And the input complaint is "questions: each number must be there once."
    And the agent "gatekeeper" responds with '{"questions": [{"number": 1, "status": "true_open_question", "citations": []}]}'
    When the procedure runs
    Then the procedure should complete successfully
    And the output answer should match pattern "true_open_question"

  Scenario: Prose around the answer is left for the contract to judge
    Given the input instructions is "Give each question a status."
    And the input message is "One question, one passage."
    And the agent "gatekeeper" responds with 'I have read it all. {"questions": [{"number": 1, "status": "true_open_question", "citations": []}]}'
    When the procedure runs
    Then the procedure should complete successfully
    And the output answer should match pattern "^I have read it all"
]])
