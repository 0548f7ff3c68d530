/** A business at the chat provider, whose channel a tenant has connected, and people who have written to it. */
import { deriveThreadId } from '../../protocol/ids.ts';
import type { Client } from '../../test/node/client.ts';
import type { Tenant } from '../../test/node/tenant.ts';
import type { ChatappProvider } from '../../test/support/chatapp-provider/index.ts';
import { eventually } from '../../test/support/eventually.ts';
import { Api } from '../demo/api.ts';
import {
  type Business,
  connectChannel,
  createChatappChannel,
  openBusiness,
  registerApp,
} from '../demo/chatapp/business.ts';

/** Each is sent a message every six seconds, as often as the provider takes them. */
const partners = 6;
/** None of them is the number of the business. */
const firstPhone = 15_570_000_000;

export class Chat {
  readonly #provider: ChatappProvider;
  readonly #tenant: Tenant;
  readonly #business: Business;
  /** Skein's id of the provider's app. */
  readonly #appId: string;
  #threadIds: readonly string[] = [];
  #sent = 0;

  private constructor(provider: ChatappProvider, tenant: Tenant, business: Business, appId: string) {
    this.#provider = provider;
    this.#tenant = tenant;
    this.#business = business;
    this.#appId = appId;
  }

  /** The tenant's address has to be verified. Resolves when there are threads to be answered. */
  static async open(provider: ChatappProvider, tenant: Tenant): Promise<Chat> {
    const { person } = tenant;
    const business = openBusiness(provider);
    const appId = await registerApp(new Api(person.line.url, person.bearer), business);
    const chat = new Chat(provider, tenant, business, appId);
    await chat.#open();
    return chat;
  }

  /** Sends the next one of them a message, by way of this client. */
  async send(client: Client, timeoutMs: number): Promise<void> {
    const threadId = this.#threadIds[this.#sent++ % this.#threadIds.length] ?? '';
    const body = { projectId: this.#tenant.projectId, body: 'We are looking into it.' };
    await client.get('createMessage', { params: { threadId }, body, timeoutMs });
  }

  /** Connects one more number, by a token that ends then and cannot be renewed. `expiresAt`: epoch milliseconds. */
  async connectUntil(expiresAt: number): Promise<void> {
    const { accounts } = this.#provider;
    const account = accounts.addAccount();
    accounts.addNumber(account);
    const more = { type: 'USER', expiresAt: Math.ceil(expiresAt / 1_000) } as const;
    await this.#connect(accounts.addToken(this.#business.app, account, more).value);
  }

  async #open(): Promise<void> {
    const { account, app, number } = this.#business;
    const { environmentId, key } = this.#tenant;
    const channelId = await this.#connect(this.#provider.accounts.addToken(app, account).value);
    const phones = Array.from({ length: partners }, (_, index) => String(firstPhone + index));
    for (const phone of phones) {
      await this.#provider.write(number, { phone }, { type: 'text', text: { body: 'Hello' } });
    }
    this.#threadIds = phones.map(phone => deriveThreadId(environmentId, channelId, phone));
    await eventually('threads of the chat channel', async () => {
      const asked = this.#threadIds.map(threadId => key.ask('getThread', { params: { threadId } }));
      return (await Promise.all(asked)).every(({ status }) => status === 200);
    });
  }

  async #connect(accessToken: string): Promise<string> {
    const { key, projectId } = this.#tenant;
    const api = new Api(key.line.url, key.bearer);
    const channelId = await createChatappChannel(api, this.#tenant);
    const given = { accessToken, partnerAppCredentialId: this.#appId };
    await connectChannel(api, { projectId, channelId }, given);
    return channelId;
  }
}
