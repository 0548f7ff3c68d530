/** The shop's number at a chat provider of this machine: free-form answers are allowed for 24 hours after a customer wrote. */
import { ChatappProvider } from '../../../test/support/chatapp-provider/index.ts';
import { type Business, openBusiness } from '../chatapp/business.ts';
import type { Skein } from '../../../clients/sdk/index.ts';
import type { Customer } from './customers.ts';
import type { Answer } from './simulator.ts';

/** Approved by the provider: what may be sent when the window is closed. */
const templates = [
  { name: 'order_sent', body: 'Hello {{1}}, your order {{2}} is on its way.' },
  {
    name: 'question_answered',
    body: 'Hello {{1}}, we have an answer for you. Write to us whenever it suits you.',
  },
];

/** The provider's: the message cannot be delivered. */
const undeliverable = { code: 131026, title: 'Message undeliverable' };

export class ChatNumber {
  readonly #provider: ChatappProvider;
  readonly #business: Business;

  private constructor(provider: ChatappProvider) {
    this.#provider = provider;
    this.#business = openBusiness(provider);
    for (const template of templates) provider.templates.add(this.#business.account.id, template);
  }

  static async open(): Promise<ChatNumber> {
    return new ChatNumber(await ChatappProvider.start());
  }

  /** The address of the provider's API. */
  get url(): string {
    return this.#provider.url;
  }

  /** Makes a channel of it. */
  async connect(owner: Skein, environment: { projectId: string; environmentId: string }): Promise<string> {
    const { app, account } = this.#business;
    const { workspaceId } = await owner.auth.me();
    const { partnerAppCredentialId } = await owner.partnerApps.create({
      workspaceId,
      name: 'Chat',
      appId: app.id,
      appSecret: app.secret,
    });
    const { channelId } = await owner.channels.create({ ...environment, name: 'Chat', kind: 'chatapp' });
    const { value: accessToken } = this.#provider.accounts.addToken(app, account);
    const { projectId } = environment;
    await owner.chatapp.connect(channelId, { projectId, partnerAppCredentialId, accessToken });
    return channelId;
  }

  /** @param minutesAgo when it was written: the provider's webhook comes so late */
  async say({ ref: phone, displayName: name }: Customer, body: string, minutesAgo = 0): Promise<void> {
    const timestamp = String(Math.floor(Date.now() / 1_000 - minutesAgo * 60));
    const message = { type: 'text', text: { body }, timestamp };
    await this.#provider.write(this.#business.number, { phone, name }, message);
  }

  /** Calls back with each message that the provider has taken for a customer. */
  onSent(deliver: (ref: string, answer: Answer) => void): void {
    this.#provider.messages.accepted = message =>
      deliver(message.to, {
        report: async status => {
          await this.#provider.report(
            message,
            status,
            status === 'failed' ? { errors: [undeliverable] } : {},
          );
        },
      });
  }

  async stop(): Promise<void> {
    await this.#provider.stop();
  }
}
