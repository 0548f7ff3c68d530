/**
 * Sign-ins that are at the provider. A flow is
 *
 *   begun -> (gone)   finished, by whatever answer; or 10 minutes
 *
 * The browser that begins one keeps its name: 256 random bits, which never go to the provider, so that whoever gets hold of the address to
 * which the provider leads back can do nothing with it, and nobody can make another browser finish their sign-in. State, nonce and the
 * verifier of PKCE (RFC 7636) are keyed hashes of the name: none of them is kept anywhere.
 */
import { randomBytes } from 'node:crypto';
import type { Database } from '../database/index.ts';
import { SsoFlow } from '../entities/index.ts';
import { type RefuseAccount, toEmailDomain } from '../accounts/index.ts';
import { emailKey } from '../mail/index.ts';
import type { KeyedHash, Vault } from '../secrets/index.ts';
import { toSecretContext } from './settings.ts';

const flowMs = 10 * 60_000;

/** What goes to the provider, and has to come back. */
export interface FlowSecrets {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** The provider of a flow. */
export interface StartedFlow {
  readonly workspaceId: string;
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Whose address began it; null: no member of the workspace has it. */
  readonly userId: string | null;
}

const connection = `
  c.workspace_id as "workspaceId", c.issuer, c.client_id as "clientId", c.client_secret as "clientSecret"`;

const selectByDomain = `
  select ${connection}, (
    select u.user_id from users u join workspace_members m on m.user_id = u.user_id and m.workspace_id = d.workspace_id
    where u.email_key = $2) as "userId"
  from sso_domains d
  join sso_connections c on c.workspace_id = d.workspace_id
  join workspaces w on w.workspace_id = d.workspace_id and w.archived_at is null
  where d.domain = $1 and d.proven_at is not null`;

/** The provider may have been changed meanwhile. */
const take = `
  with taken as (delete from sso_flows where flow_hash = $1 returning workspace_id, issuer, user_id, expires_at)
  select ${connection}, t.user_id as "userId", t.expires_at as "expiresAt" from taken t
  join sso_connections c on c.workspace_id = t.workspace_id and c.issuer = t.issuer`;

export interface SsoFlowsOptions {
  readonly db: Database;
  readonly hash: KeyedHash;
  readonly vault: Vault;
  readonly refuse: RefuseAccount;
}

export class SsoFlows {
  readonly #options: SsoFlowsOptions;

  constructor(options: SsoFlowsOptions) {
    this.#options = options;
  }

  /** The provider of the proven domain that an address has; undefined: it does not sign in so. */
  async findProvider(email: string): Promise<StartedFlow | undefined> {
    const values = [toEmailDomain(email), emailKey(email)];
    const [row] = await this.#options.db.query<StartedFlow>(selectByDomain, values, 'sso.provider');
    return row === undefined ? undefined : this.#open(row);
  }

  /** The name of a new flow. */
  async begin({ workspaceId, issuer, userId }: StartedFlow, now: number): Promise<string> {
    const flow = randomBytes(32).toString('base64url');
    const em = this.#options.db.em();
    em.create(SsoFlow, {
      flowHash: this.#hash('sso-flow', flow),
      workspaceId,
      issuer,
      userId,
      createdAt: new Date(now),
      expiresAt: new Date(now + flowMs),
    });
    await em.flush();
    return flow;
  }

  /** The provider of the flow, which is used by this. Refused when it is unknown, used or over, or its provider is another one by now. */
  async take(flow: string, now: number): Promise<StartedFlow> {
    const { db, refuse } = this.#options;
    const [row] = await db.query<StartedFlow & { readonly expiresAt: Date }>(
      take,
      [this.#hash('sso-flow', flow)],
      'sso.take',
    );
    if (row === undefined) throw refuse('invalid_token');
    if (row.expiresAt.getTime() <= now) throw refuse('expired_token');
    return this.#open(row);
  }

  derive(flow: string): FlowSecrets {
    const of = (purpose: 'sso-state' | 'sso-nonce' | 'sso-verifier'): string =>
      this.#hash(purpose, flow).toString('base64url');
    return { state: of('sso-state'), nonce: of('sso-nonce'), verifier: of('sso-verifier') };
  }

  async #open({ workspaceId, issuer, clientId, clientSecret, userId }: StartedFlow): Promise<StartedFlow> {
    const opened = await this.#options.vault.open(toSecretContext(workspaceId), clientSecret);
    return { workspaceId, issuer, clientId, clientSecret: opened, userId };
  }

  #hash(purpose: 'sso-flow' | 'sso-state' | 'sso-nonce' | 'sso-verifier', flow: string): Buffer {
    return this.#options.hash.digest(purpose, flow);
  }
}
