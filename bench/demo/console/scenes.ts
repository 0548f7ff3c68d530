/**
 * How the conversations stand when the demonstration begins, so that each queue has something, and each state of a conversation is there to
 * look at. All of it by the public contract: what operators did is done on their behalf.
 */
import type { AttachmentInput } from '../../../clients/sdk/index.ts';
import type { ChatNumber } from './chat.ts';
import { type Customer, customers } from './customers.ts';
import type { Shop } from './shop.ts';

/** What the customers' messages go through. */
export interface Lines {
  readonly shop: Shop;
  readonly chat: ChatNumber;
}

interface Stage extends Lines {
  readonly threadId: string;
  readonly customer: Customer;
  /** Says the next of what the customer goes on with. */
  readonly goOn: () => Promise<void>;
}

/** A customer's message over the app of the shop. */
export async function sayInApp({ skein, channelId }: Shop, customer: Customer, body: string): Promise<void> {
  const { ref, displayName, locale, asks, file } = customer;
  const attachments: AttachmentInput[] = [];
  if (file !== undefined && body === asks) {
    const { kind, filename, mimeType, bytes } = file;
    const blob = new Blob([bytes], { type: mimeType });
    attachments.push({ kind, attachmentId: await skein.attachments.upload(blob, { filename }) });
  }
  await skein.channels.receive(channelId, {
    externalParticipantRef: ref,
    participant: { displayName, locale },
    body,
    attachments,
  });
}

export function say({ shop, chat }: Lines, customer: Customer, body: string): Promise<void> {
  return customer.wroteOverChat === undefined
    ? sayInApp(shop, customer, body)
    : chat.say(customer, body, body === customer.asks ? customer.wroteOverChat : 0);
}

/** Conversations in which the agent has another mode than its own, from the first message on. */
const modes: Readonly<Record<string, 'auto' | 'paused'>> = {
  'amara-okafor': 'auto',
  'noah-tremblay': 'auto',
  'emma-novak': 'auto',
  'lucia-fernandez': 'paused',
  'freja-nielsen': 'paused',
  'liam-o-connor': 'paused',
  'sofia-rossi': 'paused',
  'arjun-patel': 'paused',
  'david-cohen': 'paused',
};

/** Tomorrow at nine, by the clock of this machine. */
function findTomorrowMorning(): string {
  const at = new Date();
  at.setDate(at.getDate() + 1);
  at.setHours(9, 0, 0, 0);
  return at.toISOString();
}

/** Whom the colleague talks to. */
const colleaguesCustomer = 'freja-nielsen';

/** What has happened since the first message. */
const scenes: Readonly<Record<string, (stage: Stage) => Promise<void>>> = {
  /** In Mine, with something to read. */
  async 'liam-o-connor'({ shop: { ines }, threadId, goOn }) {
    await ines.skein.threads.assign(threadId, { userId: ines.userId });
    await ines.skein.messages.create(threadId, {
      body: 'That is annoying, I am sorry. Which phone do you use?',
    });
    await goOn();
  },

  /** A note that mentions a colleague, tags, and fields of the shop's own. */
  async 'lucia-fernandez'({ shop: { ines, tom }, threadId }) {
    await tom.skein.threads.update(threadId, {
      tags: ['discount', 'autumn'],
      customFields: { 'Customer number': 40_117, Plan: 'Gold', Newsletter: true },
    });
    const body = `@${ines.displayName} the code ended on Sunday. May I give her a new one?`;
    await tom.skein.notes.create(threadId, { body, mentions: [ines.userId] });
  },

  /** A colleague is at it: he looks, and writes. */
  async 'freja-nielsen'({ shop: { tom }, threadId }) {
    await tom.skein.threads.assign(threadId, { userId: tom.userId });
  },

  /** What was sent could not be delivered. */
  async 'david-cohen'({ shop: { tom }, threadId }) {
    await tom.skein.messages.create(threadId, {
      body: 'We do. How many boxes are there, and how heavy are they?',
    });
  },

  async 'sofia-rossi'({ shop: { tom }, threadId, goOn }) {
    await tom.skein.messages.create(threadId, { body: 'Yes, within 30 days. Is it still in its box?' });
    await goOn();
    await tom.skein.messages.create(threadId, {
      body: 'Then it is no problem. The label is in your account.',
    });
    await tom.skein.threads.update(threadId, { status: 'closed', tags: ['returns'] });
  },

  async 'arjun-patel'({ shop: { ines }, threadId }) {
    await ines.skein.threads.assign(threadId, { userId: ines.userId });
    await ines.skein.messages.create(threadId, { body: 'I ask our technician, who is back tomorrow.' });
    await ines.skein.threads.update(threadId, { snoozedUntil: findTomorrowMorning() });
  },
};

/** What has begun. */
export interface Begun {
  /** How much of what they go on with each customer has said. */
  readonly said: ReadonlyMap<Customer, number>;
  /** The conversation that the colleague has. */
  readonly colleaguesThreadId: string;
}

/** Begins all conversations. */
export async function beginConversations(lines: Lines): Promise<Begun> {
  const { shop } = lines;
  const said = new Map<Customer, number>();
  let colleaguesThreadId = '';
  // The last ones are the newest in the list.
  for (const customer of [...customers].reverse()) {
    said.set(customer, 0);
    if (customer.wroteOverChat !== undefined) {
      await say(lines, customer, customer.asks);
      continue;
    }
    const { ref, asks, goesOn } = customer;
    const { threadId } = await shop.skein.threads.create({ channelId: shop.channelId, externalRef: ref });
    if (ref === colleaguesCustomer) colleaguesThreadId = threadId;
    const agentMode = modes[ref];
    if (agentMode !== undefined) await shop.tom.skein.threads.update(threadId, { agentMode });
    await say(lines, customer, asks);
    const goOn = async (): Promise<void> => {
      const count = said.get(customer) ?? 0;
      said.set(customer, count + 1);
      const next = goesOn[count];
      if (next !== undefined) await say(lines, customer, next);
    };
    await scenes[ref]?.({ ...lines, threadId, customer, goOn });
  }
  return { said, colleaguesThreadId };
}
