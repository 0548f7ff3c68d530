/** A local server that speaks the wire formats of all three providers and answers by script: no keys, no network, no cost. */
import { LLMock } from '@copilotkit/aimock';

/** What each sort of question is answered with. */
const script = [
  {
    question: /where is my order/i,
    tool: { name: 'lookup_order', arguments: { orderId: 'A17' } },
    answer: 'Order A17 is on its way and arrives tomorrow.',
  },
  { question: /refund/i, answer: 'I can refund order A17 in full. Shall I?' },
  {
    question: /cancel my order/i,
    tool: { name: 'lookup_order', arguments: { orderId: 'B42' } },
    answer: 'Order B42 was still in the warehouse: it is cancelled.',
  },
] as const;

const usage = (promptTokens: number, completionTokens: number) => ({
  prompt_tokens: promptTokens,
  completion_tokens: completionTokens,
});

/** Starts the server. */
export async function startModelServer(): Promise<LLMock> {
  const mock = new LLMock({ port: 0, strict: true, logLevel: 'silent' });
  script.forEach((scene, index) => {
    const { question: userMessage, answer } = scene;
    if ('tool' in scene) {
      const { name, arguments: input } = scene.tool;
      const toolCalls = [{ id: `call_${index}`, name, arguments: JSON.stringify(input) }];
      mock.on(
        { userMessage, hasToolResult: false },
        // A finish reason of Gemini: its own for tool calls is not known to every client.
        { toolCalls, finishReason: 'stop', usage: usage(120, 15) },
      );
    }
    // Piece by piece, as a model writes.
    mock.on({ userMessage }, { content: answer, usage: usage(150, 12) }, { latency: 80, chunkSize: 12 });
  });
  await mock.start();
  return mock;
}

/** The addresses that the node is configured with. */
export function providerUrls({ url }: LLMock): Readonly<Record<string, string>> {
  return {
    LLM_PROVIDER_1_URL: `${url}/v1`,
    LLM_PROVIDER_2_URL: `${url}/v1`,
    LLM_PROVIDER_3_URL: `${url}/v1beta`,
  };
}
