/**
 * Which buckets a request is charged to (decisions section 9), by the class of its operation: on its way in, and then by what it
 * is about.
 *
 *   auth               its address; then the e-mail that it is about, from that address and from all
 *   read, write, run,
 *   test               its credential: an API key, or a user, whose sessions share one; without any, its address
 *   invitation         its credential, as `write`; then the workspace, and the e-mail that is invited, as for auth
 *   message            the project of an API key, and then the thread where one is named; of a user, as `write`, and then the
 *                      project, once it is certain that the user may, and the thread
 *   receipt            the project of an API key, apart from its messages; of a user, as `write`
 *
 * What proves to be nobody, or asks for what is nowhere, is charged to its address alone. A request has to have room in every
 * bucket that applies; one that is refused is charged to none. In a sandbox everything is a quarter: for messages by their
 * environment, else by the API key's. A user's session is of no environment.
 *
 * The e-mail is charged before anybody looks whether it has an account, and stands in the bucket's name as a keyed hash. Five
 * guesses a minute from one address lock nobody out who comes from another; what all addresses have together is wider.
 */
import { isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { quarterOf } from '../../actors/quota/bucket.ts';
import { derivedId } from '../../protocol/ids.ts';
import type { RateClass } from '../../protocol/operation.ts';
import type { EnvironmentKind } from '../../protocol/resources/environment.ts';
import { emailKey } from '../../storage/accounts/email-key.ts';
import type { KeyHash } from '../../storage/keyhash.ts';
import type { Call } from '../rest/handler.ts';
import type { Quota, Quotas } from '../rest/quota.ts';
import type { Purse, QuotaCounts, Terms } from './purse.ts';
import type { Purses } from './purses.ts';
import { bucketNames, type BucketName, type Rates } from './rates.ts';

export interface ChargesOptions {
  readonly rates: Rates;
  readonly purses: Purses;
  readonly hash: Pick<KeyHash, 'of'>;
  /** Counted by bucket name. */
  readonly counts: Readonly<Record<BucketName, QuotaCounts>>;
}

/** Terms, and how the names of their buckets begin: with the rate, so that another rate is another bucket. */
interface Tariff extends Terms {
  readonly prefix: string;
}

type Tariffs = Readonly<Record<BucketName, Tariff>>;

/** Those that limit guesses at passwords, tokens and keys, and mail to strangers. */
const guarded: ReadonlySet<BucketName> = new Set([
  'refused',
  'authAddress',
  'authAddressEmail',
  'authEmail',
  'invitations',
]);

/**
 * Charges requests: see above. Measured, a request costs 0.3 microseconds while its purses hold tokens or know that there are none;
 * the first message to a thread after a quiet second 7, where this node keeps the thread's bucket, else an ask of another node.
 */
export function chargesOf(options: ChargesOptions): Quotas {
  const { purses, hash } = options;
  const whole = tariffsOf(options, false);
  const sandbox = tariffsOf(options, true);

  const purse = (tariff: Tariff, subject: string): Purse => purses.of(tariff.prefix + subject, tariff);

  const ofCredential = (name: 'read' | 'write' | 'run' | 'test', { caller, address }: Call): Purse => {
    // Services come over gRPC, and are not charged there.
    if (caller === undefined || caller.type === 'service') return purse(whole[name], network(address));
    if (caller.type === 'user') return purse(whole[name], caller.userId);
    return purse((caller.environmentKind === 'sandbox' ? sandbox : whole)[name], caller.apiKeyId);
  };

  const ofProject = (
    projectId: string,
    kind: EnvironmentKind,
    name: 'messageProject' | 'receiptProject' = 'messageProject',
  ): Purse => purse((kind === 'sandbox' ? sandbox : whole)[name], projectId);

  const entrance = (rate: RateClass, call: Call): Purse => {
    switch (rate) {
      case 'none':
      case 'auth':
        return purse(whole.authAddress, network(call.address));
      case 'message':
      case 'receipt': {
        const { caller } = call;
        // Which project a user's request is about is certain only later: nobody may use up what is another's.
        if (caller?.type !== 'key') return ofCredential('write', call);
        const name = rate === 'message' ? 'messageProject' : 'receiptProject';
        return ofProject(caller.projectId, caller.environmentKind, name);
      }
      case 'invitation':
        return ofCredential('write', call);
      case 'read':
      case 'write':
      case 'run':
      case 'test':
        return ofCredential(rate, call);
    }
  };

  const aboutMessage = (call: Call): Maybe<Quota | undefined> => {
    const { project, caller } = call;
    // Which one it is about, only the handler learns.
    if (project === undefined) return undefined;
    const { projectId, environmentId, environmentKind } = project;
    const threadId = threadOf(call, environmentId);
    const tariffs = environmentKind === 'sandbox' ? sandbox : whole;
    const thread =
      threadId === undefined ? undefined : purse(tariffs.messageThread, `${projectId}/${threadId}`);
    if (caller?.type === 'key') return thread?.take();
    const ofAll = ofProject(projectId, environmentKind);
    return thread === undefined ? ofAll.take() : fromBoth(thread, ofAll);
  };

  const ofEmail = (call: Call): Chargeable | undefined => {
    const email = emailOf(call);
    if (email === undefined) return undefined;
    const hashed = hash.of('rate-limit', emailKey(email)).toString('base64url');
    return pair(
      purse(whole.authAddressEmail, `${network(call.address)}/${hashed}`),
      purse(whole.authEmail, hashed),
    );
  };

  const aboutInvitation = (call: Call): Maybe<Quota> => {
    const { workspaceId } = (call.params ?? none) as Fields;
    const ofWorkspace = purse(whole.invitations, String(workspaceId));
    const email = ofEmail(call);
    return email === undefined ? ofWorkspace.take() : pair(ofWorkspace, email).take();
  };

  const about = (rate: RateClass, call: Call): Maybe<Quota | undefined> => {
    switch (rate) {
      case 'message':
        return aboutMessage(call);
      case 'auth':
        return ofEmail(call)?.take();
      case 'invitation':
        return aboutInvitation(call);
      default:
        return undefined;
    }
  };

  const settled = (rate: RateClass, call: Call, quota: Quota | undefined): Quota | undefined => {
    if (quota?.allowed === false) entrance(rate, call).giveBack();
    return quota;
  };

  const stranger = (address: string): Purse => purse(whole.refused, network(address));

  return {
    enter: (rate, call) => entrance(rate, call).take(),
    about: (rate, call) => {
      const quota = about(rate, call);
      return quota instanceof Promise
        ? quota.then(taken => settled(rate, call, taken))
        : settled(rate, call, quota);
    },
    stranger: address => stranger(address).take(),
    forgive: address => stranger(address).giveBack(),
  };
}

type Maybe<T> = T | Promise<T>;

function tariffsOf({ rates, counts }: ChargesOptions, quartered: boolean): Tariffs {
  const tariffs: Partial<Record<BucketName, Tariff>> = {};
  for (const name of bucketNames) {
    const rate = quartered ? quarterOf(rates[name]) : rates[name];
    tariffs[name] = {
      rate,
      apart: guarded.has(name) ? quarterOf(rate) : rate,
      counts: counts[name],
      prefix: `${name}/${rate.limit}/${rate.windowMs}/`,
    };
  }
  return tariffs as Tariffs;
}

type Chargeable = Pick<Purse, 'take' | 'giveBack'>;

/** Two that are charged as one. */
function pair(a: Chargeable, b: Chargeable): Chargeable {
  return {
    take: () => fromBoth(a, b),
    giveBack: () => {
      a.giveBack();
      b.giveBack();
    },
  };
}

/** Takes of both, or of neither; gives the one that refuses, else the one that has less left. */
function fromBoth(a: Chargeable, b: Chargeable): Quota | Promise<Quota> {
  const first = a.take();
  if (!(first instanceof Promise)) {
    if (!first.allowed) return first;
    const second = b.take();
    return second instanceof Promise
      ? second.then(taken => both(first, taken, a, b))
      : both(first, second, a, b);
  }
  return Promise.all([first, b.take()]).then(([one, other]) => both(one, other, a, b));
}

function both(ofA: Quota, ofB: Quota, a: Chargeable, b: Chargeable): Quota {
  if (ofA.allowed && ofB.allowed) return ofB.remaining < ofA.remaining ? ofB : ofA;
  if (ofA.allowed) a.giveBack();
  if (ofB.allowed) b.giveBack();
  if (ofA.allowed || ofB.allowed) return ofA.allowed ? ofB : ofA;
  return (ofB.retryAfterSeconds ?? 0) > (ofA.retryAfterSeconds ?? 0) ? ofB : ofA;
}

/** Whom an address stands for: IPv6 is handed out in networks of 64 bits, so that one customer has 2^64 addresses. */
function network(address: string): string {
  if (!isIPv6(address)) return address;
  const parsed = ipaddr.parse(address);
  if (parsed.kind() !== 'ipv6') return address;
  return parsed.toByteArray().slice(0, 8).join('.');
}

type Fields = Readonly<Record<string, unknown>>;

function emailOf({ body, caller }: Call): string | undefined {
  const email = (body as Fields | undefined)?.['email'];
  if (typeof email === 'string') return email;
  return caller?.type === 'user' ? caller.email : undefined;
}

/**
 * The thread that a message is for: as the path or the body names it, else by its identity, as in the handler. A user who leaves
 * out the environment of a channel outside the sandbox is charged by another name for the same thread, and always by the same.
 */
function threadOf(call: Call, environmentId: string): string | undefined {
  const { threadId, channelId } = (call.params ?? none) as Fields;
  const body = (call.body ?? none) as Fields;
  const named = threadId ?? body['threadId'];
  if (typeof named === 'string') return named;
  const reference = body['externalParticipantRef'] ?? body['externalThreadRef'];
  if (typeof reference !== 'string' || typeof channelId !== 'string') return undefined;
  return derivedId('thread', environmentId, channelId, reference);
}

const none: Fields = {};
