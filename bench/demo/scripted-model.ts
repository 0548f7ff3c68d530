/** A local server that speaks the wire formats of all three providers and answers by a script: no keys, no network, no cost. */
import { LLMock } from '@copilotkit/aimock';

export interface ToolCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, string>>;
}

/**
 * Starts the server.
 *
 * @param script a line for each answer: the pattern of the question, ` = `, and the answer. The first line that matches the last message of the user counts.
 * @param tools calls that come before the answer, by the pattern of the question
 */
export async function startScriptedModel(
  script: string,
  tools: Readonly<Record<string, ToolCall>>,
): Promise<LLMock> {
  const server = new LLMock({ port: 0, strict: true, logLevel: 'silent' });
  const usage = { prompt_tokens: 412, completion_tokens: 38 };
  for (const [index, line] of script.trim().split('\n').entries()) {
    const [pattern = '', content = ''] = line.split(' = ');
    const userMessage = new RegExp(pattern, 'i');
    const tool = tools[pattern];
    if (tool !== undefined) {
      const call = { id: `call_${index}`, name: tool.name, arguments: JSON.stringify(tool.arguments) };
      // Every client knows this finish reason. Gemini has one of its own for tool calls.
      const answer = { toolCalls: [call], finishReason: 'stop', usage };
      server.on({ userMessage, hasToolResult: false }, answer, { latency: 60 });
    }
    // Piece by piece, as a model writes.
    server.on({ userMessage }, { content, usage }, { latency: 60, chunkSize: 8 });
  }
  await server.start();
  return server;
}
