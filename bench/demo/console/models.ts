/** The language model of the demonstration: a local server that answers by script, piece by piece, as a model writes. */
import { LLMock } from '@copilotkit/aimock';

/** What is answered to whom, by the words of the customer's last message. The last one answers everything else. */
const answers: readonly (readonly [RegExp, string])[] = [
  [
    /where is my order|tracking/i,
    'I am sorry that you have to wait. May I have the number of your order? I will look at once where the parcel is.',
  ],
  [/address/i, 'The parcel has not left yet, so that is possible. Which address shall it go to?'],
  [
    /\b[abc]\d{2}\b/i,
    'I have found it: your parcel left our warehouse yesterday evening and arrives tomorrow before noon. The tracking page shows it from tonight on.',
  ],
  [
    /refund|charged twice/i,
    'Of course. I can give you the money back in full, to the card that you have paid with. Shall I do so?',
  ],
  [
    /cancel/i,
    'Your order has not been packed yet: I can cancel it without costs. Would you like another size in its place?',
  ],
  [
    /broken|complaint/i,
    'That should not have happened, and I am sorry. We send you a new one today, and you need not return anything.',
  ],
  [
    /password|signs me out/i,
    'I have sent you a new link just now. It is good for one hour; please look into the folder for spam as well.',
  ],
  [
    /deliver|ship/i,
    'Standard delivery takes two to three working days; with express it is there the next day, on Saturdays too.',
  ],
  [/person/i, 'Of course: a colleague takes over right away.'],
  [/thank|great|perfect|merci|gracias|brilliant/i, 'You are very welcome. Have a lovely day!'],
  [/./, 'Thank you for your message. I am looking into it, and come back to you in a few minutes.'],
];

const modelPace = { latency: 60, chunkSize: 8 };

export async function startModels(): Promise<LLMock> {
  const models = new LLMock({ port: 0, strict: true, logLevel: 'silent' });
  for (const [userMessage, content] of answers) {
    models.on({ userMessage }, { content, usage: { prompt_tokens: 412, completion_tokens: 38 } }, modelPace);
  }
  await models.start();
  return models;
}
