/** A whole node in this process, composed as main composes it, on a real PostgreSQL: for stitches as a customer sees them. */
import type { Test } from 'tap';
import type { WebhookDelivery } from '../../../protocol/resources/delivery.ts';
import type { Database } from '../../../storage/database/database.ts';
import { Line, type Client, type ListOf } from '../../node/client.ts';
import { signUp, type Tenant } from '../../node/tenant.ts';
import { startTestDatabase } from '../../support/database.ts';
import { startSkeinOn } from '../../support/skein.ts';
import { Receiver } from '../../support/receiver.ts';

export interface NodeOptions {
  /** Default: webhooks may go anywhere, so that they reach this machine. */
  readonly publicOnly?: boolean;
  /** As LIMITS. */
  readonly limits?: string;
}

export class StitchService {
  readonly url: string;
  readonly database: Database;
  readonly #line: Line;

  private constructor(url: string, database: Database, line: Line) {
    this.url = url;
    this.database = database;
    this.#line = line;
  }

  static async start(t: Test, options: NodeOptions = {}): Promise<StitchService> {
    const { database, url } = await startTestDatabase(t);
    const skein = await startSkeinOn(t, url, {
      ALLOW_PRIVATE_ADDRESSES: options.publicOnly === true ? 'false' : 'true',
      LIMITS: options.limits ?? '{}',
    });
    return new StitchService(skein.url, database, new Line(skein.url, t));
  }

  tenant(): Promise<Tenant> {
    return signUp(this.#line);
  }

  /** Verifies the person's e-mail, and makes them a production environment; gives its id. */
  async production({ userId, person, projectId }: Tenant): Promise<string> {
    await this.database.query('update users set email_verified_at = now() where user_id = $1', [userId]);
    const body = { projectId, name: 'production' };
    for (;;) {
      // What is known of a session is held for a second.
      const reply = await person.ask<{ environmentId: string }>('createEnvironment', { body });
      if (reply.status === 201) return reply.body.environmentId;
    }
  }

  /** Resolves when the list of deliveries, asked with that query, is as long as said. */
  async deliveries(client: Client, query: Record<string, string>, count: number): Promise<WebhookDelivery[]> {
    for (;;) {
      const { data } = await client.get<ListOf<WebhookDelivery>>('listDeliveries', { query });
      if (data.length === count) return [...data];
    }
  }
}

export async function receiverFor(t: Test): Promise<Receiver> {
  const receiver = await Receiver.start();
  t.teardown(() => receiver.stop());
  return receiver;
}

/** `count` messages on a new thread of the tenant; gives the thread's id. */
export async function getMessages({ key, projectId, channelId }: Tenant, count: number): Promise<string> {
  let threadId = '';
  for (let i = 0; i < count; i++) {
    const body = { projectId, body: `message ${i}`, externalThreadRef: 'somebody' };
    const message = await key.get<{ threadId: string }>('createInboundMessage', {
      params: { channelId },
      body,
    });
    threadId = message.threadId;
  }
  return threadId;
}
