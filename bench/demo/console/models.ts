/**
 * The model of the agent. If `LLM_PROVIDER_1_URL` names one (docs/guide/agents.md), the agent uses it. Otherwise a local server answers by a
 * script.
 */
import { startScriptedModel, type ToolCall } from '../scripted-model.ts';

export interface AgentModel {
  /** For the terminal. */
  readonly description: string;
  /** The value of LLM_PROVIDER_1_URL. */
  readonly url: string;
  readonly model: string;
  readonly secret: string;
  stop(): Promise<void>;
}

const script = `
refund for order D58 = Your refund is on its way: 89.00 EUR go back to the card that you have paid with. Please send the jacket back within 30 days.
A17 = I have found it: your parcel left our warehouse yesterday evening and arrives tomorrow before noon.
B42 = I am sorry for that. Your parcel B42 has been held up at the depot. It arrives tomorrow before noon.
a person = Of course: a colleague takes over right away.
where is my order|tracking = I am sorry that you have to wait. May I have the number of your order? I will look at once where the parcel is.
address = The parcel has not left yet, so that is possible. Which address shall it go to?
in stock = It came in this morning, in white and in black. How many would you like?
two of them = I have put two white ones aside for you. You get a message when they can be ordered.
marina road = I have changed it: the parcel goes to 12 Marina Road in Lagos.
spam folder = Then I have sent it once more, by another way. It comes within a minute.
invoice = I am sorry about that. Which name and address should the invoice have?
watch = We do, also if they are from elsewhere. Which make and year is it?
warranty = It is three years from the day you bought it. May I ask when that was?
courier|neighbour = I am sorry to hear that. I ask the courier at once where the parcel is.
on my card = Within five working days, sometimes sooner.
refund|charged twice = I am sorry. On which day was that, and which amount do you see on your statement?
cancel = Your order has not been packed yet: I can cancel it without costs. Would you like another size in its place?
broken|complaint = That should not have happened, and I am sorry. We send you a new one today, and you need not return anything.
password|signs me out = I have sent you a new link just now. It is good for one hour; please look into the folder for spam as well.
deliver|ship = Standard delivery takes two to three working days; with express it is there the next day, on Saturdays too.
thank|great|perfect|merci|gracias|brilliant = You are very welcome. Have a lovely day!
. = Thank you for your message. I am looking into it, and come back to you in a few minutes.`;

const tools: Readonly<Record<string, ToolCall>> = {
  'refund for order D58': { name: 'refund_order', arguments: { orderId: 'D58', reason: 'Does not fit' } },
  A17: { name: 'lookup_order', arguments: { orderId: 'A17' } },
  B42: { name: 'lookup_order', arguments: { orderId: 'B42' } },
  'a person': { name: 'request_human', arguments: { reason: 'Asks for a person, after a complaint' } },
};

/** Gives the model that the environment names, or the script. */
export async function chooseModel(): Promise<AgentModel> {
  const {
    LLM_PROVIDER_1_URL: url = '',
    MODEL: model = 'llama3.2',
    OPENAI_KEY: secret = 'no-key-needed',
  } = process.env;
  const stop = (): Promise<void> => Promise.resolve();
  if (url !== '') return { description: `the model ${model} at ${url}`, url, model, secret, stop };
  const server = await startScriptedModel(script, tools);
  return {
    description: 'a script that stands in for a model',
    url: `${server.url}/v1`,
    model: 'gpt-4o-mini',
    secret: 'stand-in-for-a-model',
    stop: () => server.stop(),
  };
}
