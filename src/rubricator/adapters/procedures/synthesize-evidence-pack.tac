-- The contract `synthesize-evidence-pack` as a Tactus procedure. Prompt, message and schema come from the contract; what comes back is
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
        local reader = Agent("synthesizer") {
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
    synthesizer = {message = "{}"}
}

Specifications([[
Feature: Synthesize an evidence pack

  Scenario: Labels and ids come back as they were given
    Given the input instructions is "Sort the passages."
    And the input message is "Two passages, one dated."
    And the agent "synthesizer" responds with '{"classification": "rubric_gap", "supporting": ["kb:0123456789"], "conflicting": []}'
    When the procedure runs
    Then the procedure should complete successfully
    And the output answer should match pattern "kb:0123456789"

  Scenario: An unknown citation id is asked for again
    Given the input instructions is "Sort the passages."
    And the input message is "Two passages, one dated."
    And the input refused is "{}"
    And the input complaint is "supporting: kb:ffffffffff was not given."
    And the agent "synthesizer" responds with '{"classification": "rubric_gap", "supporting": ["kb:0123456789"], "conflicting": []}'
    When the procedure runs
    Then the procedure should complete successfully
    And the output answer should match pattern "kb:0123456789"

  Scenario: Prose around the answer is left for the contract to judge
    Given the input instructions is "Sort the passages."
    And the input message is "Two passages, one dated."
    And the agent "synthesizer" responds with 'I have read it all. {"classification": "rubric_gap", "supporting": ["kb:0123456789"], "conflicting": []}'
    When the procedure runs
    Then the procedure should complete successfully
    And the output answer should match pattern "^I have read it all"
]])
