import type { AgentProgram, TaskFiles, ToolCall } from './program.ts';

/** The model of the sandbox that the programs ask. It sees images. */
export const MODEL = 'aurora/aurora-large';
export const BEFORE = 'The door is blue.';
export const AFTER = 'The door is green.';
export const PROMPT = 'Read notes.txt, paint the door green in it, then copy the file.';
/** The last text of the model, which the program shows. */
export const FINAL_TEXT = 'The door in the notes is green now.';
export const DELEGATING_PROMPT = 'Let another agent look at the doors.';
export const AGENT_TASK = 'Count the doors in the notes and report their number.';
const AGENT_REPORT = 'There is one door in the notes.';

/** Returns the calls of the task by step: one each to read, edit and run, then two at once. */
export function listCalls(
  program: AgentProgram,
  task: TaskFiles,
): readonly (readonly ToolCall[])[] {
  const [read, edit, run] = program.callTools(task);
  const [readCopy] = program.callTools({ ...task, path: task.copy });
  return [[read], [edit], [run], [read, readCopy]];
}

/** A step of a fixture, as its file has it. */
export type ScriptStep = Readonly<Record<string, unknown>>;

/** Answers requests beside the task, such as those for a title. */
const BESIDE: ScriptStep = {
  when: { tools: false },
  answer: { text: 'A green door' },
  repeat: true,
};

/** Returns the answers of the model to the task. */
export function scriptTask(program: AgentProgram, task: TaskFiles): readonly ScriptStep[] {
  const calls = listCalls(program, task);
  return [
    BESIDE,
    ...calls.map((tools, place) => ({ answer: { text: `Step ${place + 1}.`, tools } })),
    { answer: { text: FINAL_TEXT }, repeat: true },
  ];
}

/** Returns the answers of a model that has another agent do the work. */
export function scriptAgent([call, ...waiting]: readonly [
  ToolCall,
  ...ToolCall[],
]): readonly ScriptStep[] {
  return [
    BESIDE,
    { when: { contains: DELEGATING_PROMPT }, ...answerWith(call) },
    { when: { contains: AGENT_TASK }, answer: { text: AGENT_REPORT } },
    ...waiting.map(answerWith),
    { answer: { text: FINAL_TEXT }, repeat: true },
  ];
}

/** Answers with a call. Scripted answers name no namespace, so a call of one is a response byte for byte. */
function answerWith(call: ToolCall): ScriptStep {
  const { name, namespace, input } = call;
  if (namespace === undefined) return { answer: { text: 'Wait.', tools: [call] } };
  const item = {
    type: 'function_call',
    id: 'fc_trial',
    call_id: 'call_trial',
    status: 'completed',
    name,
    namespace,
    arguments: JSON.stringify(input),
  };
  const response = { id: 'resp_trial', object: 'response', model: MODEL };
  const usage = { input_tokens: 100, output_tokens: 10, total_tokens: 110 };
  const events = [
    { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
    { type: 'response.output_item.added', output_index: 0, item },
    { type: 'response.output_item.done', output_index: 0, item },
    {
      type: 'response.completed',
      response: { ...response, status: 'completed', output: [item], usage },
    },
  ].map((event, place) => ({ ...event, sequence_number: place }));
  return {
    response: {
      contentType: 'text/event-stream',
      events: events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`),
    },
  };
}
