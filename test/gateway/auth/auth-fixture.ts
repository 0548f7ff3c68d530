/** A node that serves accounts, tenancy and API keys over HTTP on a real PostgreSQL, and clients that call it. */
import { randomBytes } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { AccessTokens, parseTokenKeys } from '../../../gateway/auth/access-tokens.ts';
import { Authenticator, KeyVerifier } from '../../../gateway/auth/authenticate.ts';
import { Passwords } from '../../../gateway/auth/passwords.ts';
import { RefreshCookie } from '../../../gateway/auth/refresh-cookie.ts';
import { SignUpPolicy, type SignUpPolicyOptions } from '../../../gateway/auth/sign-up-policy.ts';
import { HttpServer } from '../../../gateway/http/server.ts';
import { MailMetrics } from '../../../gateway/mail/metrics.ts';
import { MailSender } from '../../../gateway/mail/sender.ts';
import { folderTransport } from '../../../gateway/mail/transport.ts';
import { serveOperations } from '../../../gateway/rest/operations.ts';
import { acceptanceHandlers, invitationHandlers } from '../../../gateway/handlers/invitations.ts';
import { apiKeyHandlers } from '../../../gateway/handlers/api-keys.ts';
import { auditHandlers } from '../../../gateway/handlers/audit.ts';
import { authHandlers, passwordResetHandlers } from '../../../gateway/handlers/auth.ts';
import { memberHandlers } from '../../../gateway/handlers/members.ts';
import { partnerAppHandlers } from '../../../gateway/handlers/partner-apps.ts';
import {
  environmentHandlers,
  projectHandlers,
  workspaceHandlers,
} from '../../../gateway/handlers/workspaces.ts';
import { Idempotency } from '../../../gateway/pipeline/idempotency.ts';
import { auditOperations } from '../../../protocol/operations/audit.ts';
import { authOperations } from '../../../protocol/operations/auth.ts';
import { invitationOperations } from '../../../protocol/operations/invitations.ts';
import { keyOperations } from '../../../protocol/operations/keys.ts';
import { memberOperations } from '../../../protocol/operations/members.ts';
import { partnerAppOperations } from '../../../protocol/operations/partner-apps.ts';
import { tenancyOperations } from '../../../protocol/operations/tenancy.ts';
import { type Clock, systemClock } from '../../../runtime/time/clock.ts';
import { silentLog } from '../../../runtime/observability/log.ts';
import type { Database } from '../../../storage/database/database.ts';
import { IdempotencyKeys } from '../../../storage/idempotency/idempotency-keys.ts';
import { KeyRing } from '../../../storage/secrets/key-ring.ts';
import { ArchivedProjects } from '../../../storage/tenancy/archived-projects.ts';
import { Vault } from '../../../storage/secrets/vault.ts';
import { accountHandlers } from '../../../gateway/handlers/account.ts';
import { secondFactorHandlers } from '../../../gateway/handlers/second-factor.ts';
import { secondFactorOperations } from '../../../protocol/operations/second-factor.ts';
import { passkeyHandlers } from '../../../gateway/handlers/passkeys.ts';
import { passkeyOperations } from '../../../protocol/operations/passkeys.ts';
import { accountOperations } from '../../../protocol/operations/account.ts';
import { accountServices, freshKey } from '../../support/accounts.ts';

/** The machine's time, and as much more as a test adds. */
export class ShiftedClock implements Clock {
  #shift = 0;
  readonly now = (): number => Date.now() + this.#shift;
  readonly monotonic = (): number => systemClock.monotonic() + this.#shift;
  readonly after = systemClock.after;

  shift(ms: number): void {
    this.#shift += ms;
  }
}

export interface Reply {
  readonly status: number;
  // What a test expects of a body it says itself.
  readonly body: Record<string, unknown>;
  readonly headers: Headers;
}

export interface RequestParts {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A browser of one user: keeps the refresh cookie and the access token that it is given. */
export class Client {
  readonly #url: string;
  token: string | undefined;
  /** `name=value`, as the header Cookie has it. */
  cookie: string | undefined;

  constructor(url: string) {
    this.#url = url;
  }

  async call(method: string, path: string, parts: RequestParts = {}): Promise<Reply> {
    const response = await fetch(`${this.#url}${path}`, {
      method,
      headers: {
        ...(this.token === undefined ? {} : { authorization: `Bearer ${this.token}` }),
        ...(this.cookie === undefined ? {} : { cookie: this.cookie }),
        ...(parts.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...parts.headers,
      },
      ...(parts.body === undefined ? {} : { body: JSON.stringify(parts.body) }),
    });
    const text = await response.text();
    const body = (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>;
    const [setCookie] = response.headers.getSetCookie();
    if (setCookie !== undefined) this.cookie = setCookie.split(';')[0];
    if (typeof body['accessToken'] === 'string') this.token = body['accessToken'];
    return { status: response.status, body, headers: response.headers };
  }
}

export interface NodeOptions {
  readonly policy?: SignUpPolicyOptions;
  /** Public address; default plain http. */
  readonly baseUrl?: string;
}

export interface Teardown {
  teardown(handler: () => Promise<void>): unknown;
}

export async function startAuthNode(t: Teardown, db: Database, options: NodeOptions = {}) {
  const { policy = { open: true, emailDomains: [] }, baseUrl = 'http://skein.test' } = options;
  const clock = new ShiftedClock();
  const services = accountServices(db, clock, baseUrl);
  const { sessions, access, apiKeys, mails } = services;
  const mailFolder = await mkdtemp(join(tmpdir(), 'skein-mail-'));
  const mailbox = new EventEmitter();
  const received = new Map<string, readonly string[]>();
  const mailLog = {
    info(fields: object) {
      const { to, file } = fields as { to: string; file: string };
      received.set(to, [...(received.get(to) ?? []), file]);
      mailbox.emit(to);
    },
  };
  const sender = new MailSender({
    mails,
    clock,
    baseUrl,
    transport: folderTransport(mailFolder, 'Skein <skein@example.com>', mailLog),
    metrics: new MailMetrics(new Registry()),
    log: silentLog,
  });
  const keys = freshKey('one');
  const tokens = new AccessTokens(parseTokenKeys(keys), clock);
  const verifier = new KeyVerifier({ apiKeys, clock, log: silentLog });
  const authenticator = new Authenticator({ tokens, keys: verifier, sessions, clock });
  const cookie = new RefreshCookie(baseUrl);

  const signingIn = {
    ...services,
    tokens,
    passwords: new Passwords(),
    policy: new SignUpPolicy(policy),
    cookie,
    authenticator,
    mail: sender,
  };

  // There are no stitches to be told anything.
  const archived = new ArchivedProjects(db, clock);
  const archiving = { database: db, node: { tell: () => undefined }, verifier, archived };

  // It has no threads that anybody could be assigned to.
  const withoutThreads = {
    database: db,
    node: { ask: () => Promise.reject(new Error('there are no threads here')) },
    clock,
    log: silentLog,
  };

  const server = new HttpServer({ log: silentLog, docsUrl: `${baseUrl}/docs` });
  serveOperations(
    server,
    {
      ...authOperations,
      ...accountOperations,
      ...secondFactorOperations,
      ...passkeyOperations,
      ...tenancyOperations,
      ...invitationOperations,
      ...memberOperations,
      ...keyOperations,
      ...partnerAppOperations,
      ...auditOperations,
    },
    {
      ...authHandlers(signingIn),
      ...passwordResetHandlers(signingIn),
      ...secondFactorHandlers(signingIn),
      ...passkeyHandlers(signingIn),
      ...accountHandlers({ ...signingIn, ...withoutThreads }),
      ...acceptanceHandlers(signingIn),
      ...invitationHandlers(signingIn),
      ...memberHandlers({
        members: services.members,
        projectMembers: services.projectMembers,
        ...withoutThreads,
      }),
      ...workspaceHandlers({ ...services, ...archiving }),
      ...projectHandlers({ ...services, ...archiving }),
      ...environmentHandlers(services.environments),
      ...apiKeyHandlers({ apiKeys, verifier }),
      ...partnerAppHandlers(services.partnerApps, baseUrl),
      ...auditHandlers(db, services.cursors),
    },
    {
      authenticator,
      tenancy: access,
      idempotency: new Idempotency({
        keys: new IdempotencyKeys(db),
        vault: new Vault(new KeyRing(freshKey())),
        hash: services.hash,
        log: silentLog,
      }),
      clock,
      log: silentLog,
      docsUrl: `${baseUrl}/docs`,
    },
  );
  const port = await server.listen('127.0.0.1', 0);
  const url = `http://127.0.0.1:${port}/v1`;
  sender.start();
  t.teardown(async () => {
    await server.close(1000);
    await sender.drain();
    await verifier.drain();
    await rm(mailFolder, { recursive: true, force: true });
  });

  /** The text of the last mail to an address, once there is one (other than `earlier`). */
  async function mailTo(email: string, earlier?: string): Promise<string> {
    for (;;) {
      const file = received.get(email)?.at(-1);
      const text = file === undefined ? undefined : await readFile(file, 'utf8');
      if (text !== undefined && text !== earlier) return text;
      if (received.get(email)?.at(-1) === file) await once(mailbox, email);
    }
  }

  const handedOut = new Set<string>();

  /** The token of the newest link to a page that was mailed to the address and not given here before, once there is one. */
  async function tokenTo(email: string, page: 'verify' | 'reset' | 'join' | 'email'): Promise<string> {
    for (let seen = 0; ;) {
      const files = received.get(email) ?? [];
      const texts = await Promise.all(files.slice(seen).map(file => readFile(file, 'utf8')));
      seen = files.length;
      for (const text of texts.reverse()) {
        const token = new RegExp(`/(?:studio|console)/${page}#token=([\\w-]+)`).exec(decoded(text))?.[1];
        if (token === undefined || handedOut.has(token)) continue;
        handedOut.add(token);
        return token;
      }
      if ((received.get(email) ?? []).length === seen) await once(mailbox, email);
    }
  }

  return {
    ...services,
    url,
    clock,
    cookie,
    sender,
    tokens,
    verifier,
    authenticator,
    tokenKeys: keys,
    mailFolder,
    mailTo,
    tokenTo,
    client: () => new Client(url),
    /** Signs somebody up over HTTP. */
    async signedUp() {
      const email = `user-${randomBytes(6).toString('hex')}@example.com`;
      const client = new Client(url);
      const reply = await client.call('POST', '/studio/auth/signup', {
        body: { email, password: 'correct horse battery' },
      });
      if (reply.status !== 200) throw new Error(`sign-up answered ${reply.status}`);
      const { body: me } = await client.call('GET', '/studio/me');
      return {
        client,
        email,
        userId: String(me['userId']),
        workspaceId: String(me['workspaceId']),
        projectId: String(me['projectId']),
      };
    },
    /** Follows the link that was mailed to the user. */
    async verify(email: string): Promise<void> {
      const token = await tokenTo(email, 'verify');
      const reply = await new Client(url).call('POST', '/studio/auth/verify-email', { body: { token } });
      if (reply.status !== 200) throw new Error(`verification answered ${reply.status}`);
    },
  };
}

/** A mail with a long line or other letters than ASCII goes out quoted-printable (RFC 2045, 6.7). */
export function decoded(mail: string): string {
  if (!/^Content-Transfer-Encoding: quoted-printable/im.test(mail)) return mail;
  const text = mail.replaceAll('=\r\n', '');
  const bytes = text.replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString();
}

export type AuthNode = Awaited<ReturnType<typeof startAuthNode>>;
