/** The built-in tool by which a model asks for a human. */

export const handoffTool = {
  /** Reserved: no tool of a project gets this name (`createToolNames`). */
  name: 'request_human',
  description:
    'Hands the conversation over to a human. Use it when the person asks for one, or when you cannot help. ' +
    'What you write beside it is still sent.',
  inputSchema: {
    type: 'object',
    properties: { reason: { type: 'string', description: 'For the human: why, in one sentence.' } },
    required: ['reason'],
    additionalProperties: false,
  },
} as const;

/** The most characters of a reason that are kept. */
const maxReasonCharacters = 1_000;

/** The reason that the model has given, whatever it has passed as arguments. */
export function toHandoffReason(input: unknown): string {
  const reason = typeof input === 'object' && input !== null && 'reason' in input ? input.reason : input;
  return typeof reason === 'string' && reason.trim() !== ''
    ? reason.trim().slice(0, maxReasonCharacters).toWellFormed()
    : 'no reason given';
}
