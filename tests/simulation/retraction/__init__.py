"""Stories, played to the engine, to the definition of retraction, and to a fresh engine.

`story_run` plays a story step by step; `step_checks` compares after a step: answers with the
oracle, `memory` with a fresh engine. `core_player` feeds an engine and collects its lines;
`fresh_engine` is the definition where there is a background; `programs` compiles the rules of a
story and `rule_history` knows which there are. `early_results` plays stories with `--order
arrival`; `checkpoint` stops an engine and goes on with another. `written_stories` are written by
hand, and `metric_stories` are those of random metric programs. `seeds` has the mix of stories;
`disagreement` shows what differs.
"""
