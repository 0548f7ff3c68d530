/**
 * What the agent of the demonstration thinks with. A language model where one is named by `LLM_PROVIDER_1_URL`, as docs/guide/agents.md has
 * it; else a stand-in: a local server that answers by script, piece by piece, as a model writes.
 */
import { LLMock } from '@copilotkit/aimock';

export interface AgentModel {
  /** In words, for whoever starts the demonstration. */
  readonly description: string;
  /** The address of its API, as LLM_PROVIDER_1_URL has it. */
  readonly url: string;
  readonly model: string;
  readonly secret: string;
  stop(): Promise<void>;
}

/** What was said, what the stand-in answers, and the tool that it calls first. */
interface ScriptLine {
  readonly said: RegExp;
  readonly answer: string;
  readonly tool?: { readonly name: string; readonly arguments: Readonly<Record<string, string>> };
}

/** By the words of the customer's last message: the first that fits. The last one answers everything else. */
const script: readonly ScriptLine[] = [
  {
    said: /refund for order D58/i,
    tool: { name: 'refund_order', arguments: { orderId: 'D58', reason: 'Does not fit' } },
    answer:
      'Your refund is on its way: 89.00 EUR go back to the card that you have paid with. Please send the jacket back within 30 days.',
  },
  {
    said: /A17/,
    tool: { name: 'lookup_order', arguments: { orderId: 'A17' } },
    answer:
      'I have found it: your parcel left our warehouse yesterday evening and arrives tomorrow before noon.',
  },
  {
    said: /B42/,
    tool: { name: 'lookup_order', arguments: { orderId: 'B42' } },
    answer:
      'I am sorry for that. Your parcel B42 has been held up at the depot. It arrives tomorrow before noon.',
  },
  {
    said: /a person/i,
    tool: { name: 'request_human', arguments: { reason: 'Asks for a person, after a complaint' } },
    answer: 'Of course: a colleague takes over right away.',
  },
  {
    said: /where is my order|tracking/i,
    answer:
      'I am sorry that you have to wait. May I have the number of your order? I will look at once where the parcel is.',
  },
  {
    said: /address/i,
    answer: 'The parcel has not left yet, so that is possible. Which address shall it go to?',
  },
  { said: /in stock/i, answer: 'It came in this morning, in white and in black. How many would you like?' },
  {
    said: /two of them/i,
    answer: 'I have put two white ones aside for you. You get a message when they can be ordered.',
  },
  { said: /marina road/i, answer: 'I have changed it: the parcel goes to 12 Marina Road in Lagos.' },
  {
    said: /spam folder/i,
    answer: 'Then I have sent it once more, by another way. It comes within a minute.',
  },
  { said: /invoice/i, answer: 'I am sorry about that. Which name and address should the invoice have?' },
  { said: /watch/i, answer: 'We do, also if they are from elsewhere. Which make and year is it?' },
  { said: /warranty/i, answer: 'It is three years from the day you bought it. May I ask when that was?' },
  {
    said: /courier|neighbour/i,
    answer: 'I am sorry to hear that. I ask the courier at once where the parcel is.',
  },
  { said: /on my card/i, answer: 'Within five working days, sometimes sooner.' },
  {
    said: /refund|charged twice/i,
    answer: 'I am sorry. On which day was that, and which amount do you see on your statement?',
  },
  {
    said: /cancel/i,
    answer:
      'Your order has not been packed yet: I can cancel it without costs. Would you like another size in its place?',
  },
  {
    said: /broken|complaint/i,
    answer:
      'That should not have happened, and I am sorry. We send you a new one today, and you need not return anything.',
  },
  {
    said: /password|signs me out/i,
    answer:
      'I have sent you a new link just now. It is good for one hour; please look into the folder for spam as well.',
  },
  {
    said: /deliver|ship/i,
    answer:
      'Standard delivery takes two to three working days; with express it is there the next day, on Saturdays too.',
  },
  {
    said: /thank|great|perfect|merci|gracias|brilliant/i,
    answer: 'You are very welcome. Have a lovely day!',
  },
  {
    said: /./,
    answer: 'Thank you for your message. I am looking into it, and come back to you in a few minutes.',
  },
];

const pace = { latency: 60, chunkSize: 8 };

/** The model that the environment names, else the stand-in. */
export async function chooseModel(): Promise<AgentModel> {
  const {
    LLM_PROVIDER_1_URL: url,
    MODEL: model = 'llama3.2',
    OPENAI_KEY: secret = 'no-key-needed',
  } = process.env;
  if (url === undefined || url === '') return startStandIn();
  return { description: `the model ${model} at ${url}`, url, model, secret, stop: () => Promise.resolve() };
}

async function startStandIn(): Promise<AgentModel> {
  const server = new LLMock({ port: 0, strict: true, logLevel: 'silent' });
  for (const [index, { said: userMessage, answer: content, tool }] of script.entries()) {
    const usage = { prompt_tokens: 412, completion_tokens: 38 };
    if (tool !== undefined) {
      const call = { id: `call_${index}`, name: tool.name, arguments: JSON.stringify(tool.arguments) };
      server.on({ userMessage, hasToolResult: false }, { toolCalls: [call], usage }, pace);
    }
    server.on({ userMessage }, { content, usage }, pace);
  }
  await server.start();
  return {
    description: 'a script that stands in for a model',
    url: `${server.url}/v1`,
    model: 'gpt-4o-mini',
    secret: 'stand-in-for-a-model',
    stop: () => server.stop(),
  };
}
