/**
 * Which buckets a request is charged to (docs/contract-decisions.md, "Rate limits"), by the class of its operation: before any work,
 * and then by what it is about.
 *
 *   auth, signUp       its address; then the e-mail that it is about, from that address and from all; for a user, who has proven themselves, what
 *                      they do themselves, from that address and from all, and the e-mail where they name one
 *   read, write, run,
 *   test               its credential: an API key, or a user, whose sessions share one; without any, its address. And the project, which
 *                      is that of the API key; for a user, once it is certain that the user may act there
 *   bulk               as `write`, once for each thread that it names
 *   invitation         its credential, as `write`; then the workspace, the user, and the e-mail that is invited, as for auth
 *   message            the project of an API key, and then the thread where one is named; for a user, as `write`, and then the
 *                      project, once it is certain that the user may act there, and the thread
 *   receipt            the project of an API key, apart from its messages; for a user, as `write`
 *
 * A request with an invalid credential, or for a path that does not exist, is charged to its address alone. A request must have room in
 * every bucket that applies; one that is refused is charged to none. In a sandbox every rate but a thread's is a quarter: for messages by
 * their environment, else by that of the API key. A user's session belongs to no environment.
 *
 * The e-mail is charged before its account is looked up, and stands in the bucket's name as a keyed hash. Five
 * guesses a minute from one address do not lock out anybody who comes from another; the limit for all addresses together is wider. It does not
 * hold where the account has been signed in from before: else whoever has several addresses could lock its owner out.
 */
import { LRUCache } from 'lru-cache';
import { quarterRate } from '../../actors/quota/index.ts';
import { deriveThreadId, pickExternalRef } from '../../protocol/ids.ts';
import type { RateClass } from '../../protocol/operation.ts';
import type { EnvironmentKind } from '../../protocol/resources/index.ts';
import type { Clock, Random } from '../../runtime/time/index.ts';
import type { Metrics } from '../../runtime/observability/index.ts';
import type { Node } from '../../runtime/node/index.ts';
import { emailKey } from '../../storage/mail/index.ts';
import type { KeyedHash } from '../../storage/secrets/index.ts';
import { toNetwork, toWideNetwork } from '../http/index.ts';
import { type Call, chain, type Maybe, type Quota, type RateLimiter } from '../pipeline/index.ts';
import { BucketClient, BucketLease, type QuotaCounts, type RatePolicy } from './bucket-lease.ts';
import { quotaCounts, showLeases } from './metrics.ts';
import { bucketNames, type BucketName, type Rates } from './rates.ts';

export interface RateLimiterOptions {
  readonly rates: Rates;
  readonly node: Pick<Node, 'ask'>;
  readonly hash: Pick<KeyedHash, 'digest'>;
  /** Where the account of an e-mail address has been signed in from. */
  readonly known: { find(email: string): Promise<readonly string[]> };
  readonly clock: Clock;
  readonly random: Random;
  readonly metrics: Pick<Metrics, 'registry'>;
}

/** The rate limits of a node. The buckets are shared by the whole cluster: actors hold them (actors/quota). */
export function createRateLimiter({
  rates,
  node,
  hash,
  known,
  clock,
  random,
  metrics,
}: RateLimiterOptions): RateLimiter {
  const client = new BucketClient(node, clock, random);
  const limiter = new BucketRateLimiter(rates, client, { hash, known }, quotaCounts(metrics.registry));
  showLeases(metrics.registry, () => limiter.leaseCount);
  return limiter;
}

/**
 * The leases in memory, about 10 MB. A bucket whose lease is dropped loses the tokens that the lease held, and during a flood the
 * knowledge that the bucket is empty: no more.
 */
const maxLeases = 40_000;

/** The buckets that limit guesses at passwords, tokens and keys, and mail to people who did not ask for it. */
const guarded: ReadonlySet<BucketName> = new Set([
  'refused',
  'authAddress',
  'authAddressEmail',
  'authEmail',
  'signUpAddress',
  'signUpNetwork',
  'invitations',
  'invitationsUser',
  'webhooksUnverified',
]);

/** The bucket of a project beside that of each credential. Messages and receipts are charged to their project anyway. */
const projectBuckets: Readonly<Partial<Record<RateClass, BucketName>>> = {
  read: 'readProject',
  write: 'writeProject',
  bulk: 'writeProject',
  run: 'runProject',
  test: 'testProject',
};

type RatePolicies = Readonly<Record<BucketName, RatePolicy>>;
type Fields = Readonly<Record<string, unknown>>;

/**
 * Measured, a request costs 0.3 microseconds while its leases hold tokens or know that there are none; the first message to a thread
 * after a quiet second 7, where this node keeps the thread's bucket, else an ask of another node.
 */
class BucketRateLimiter implements RateLimiter {
  readonly #leases = new LRUCache<string, BucketLease>({ max: maxLeases });
  readonly #client: BucketClient;
  readonly #hash: RateLimiterOptions['hash'];
  readonly #known: RateLimiterOptions['known'];
  readonly #whole: RatePolicies;
  readonly #sandbox: RatePolicies;

  constructor(
    rates: Rates,
    client: BucketClient,
    { hash, known }: Pick<RateLimiterOptions, 'hash' | 'known'>,
    counts: Readonly<Record<BucketName, QuotaCounts>>,
  ) {
    this.#client = client;
    this.#hash = hash;
    this.#known = known;
    this.#whole = createPolicies(rates, counts);
    this.#sandbox = createPolicies(quarterRates(rates), counts);
  }

  get leaseCount(): number {
    return this.#leases.size;
  }

  chargeCaller(rate: RateClass, call: Call): Maybe<Quota> {
    const own = this.#callerLease(rate, call);
    const ofProject = this.#keyProjectLease(rate, call);
    return ofProject === undefined ? own.take() : takeBoth(own, ofProject);
  }

  chargeSubject(rate: RateClass, call: Call): Maybe<Quota | undefined> {
    const quota = this.#takeSubject(rate, call);
    if (quota instanceof Promise) return quota.then(taken => this.#settleSubject(rate, call, taken));
    return this.#settleSubject(rate, call, quota);
  }

  #settleSubject(rate: RateClass, call: Call, quota: Quota | undefined): Quota | undefined {
    if (quota?.allowed === false) {
      this.#callerLease(rate, call).refund();
      this.#keyProjectLease(rate, call)?.refund();
    }
    return quota;
  }

  chargeAnonymous(address: string): Maybe<Quota> {
    return this.#lease(this.#whole.refused, toNetwork(address)).take();
  }

  refundAnonymous(address: string): void {
    this.#lease(this.#whole.refused, toNetwork(address)).refund();
  }

  #lease(policy: RatePolicy, subject: string): BucketLease {
    const bucket = policy.prefix + subject;
    let lease = this.#leases.get(bucket);
    if (lease === undefined) {
      lease = new BucketLease(bucket, policy, this.#client);
      this.#leases.set(bucket, lease);
    }
    return lease;
  }

  #policies(kind: EnvironmentKind): RatePolicies {
    return kind === 'sandbox' ? this.#sandbox : this.#whole;
  }

  #callerLease(rate: RateClass, call: Call): BucketLease {
    switch (rate) {
      case 'none':
      case 'auth':
      case 'signUp':
        return this.#lease(this.#whole.authAddress, toNetwork(call.address));
      case 'message':
      case 'receipt': {
        const { caller } = call;
        // Which project a user's request is about is certain only later: nobody may use up the quota of another tenant's project.
        if (caller?.type !== 'key') return this.#credentialLease('write', call);
        const name = rate === 'message' ? 'messageProject' : 'receiptProject';
        return this.#lease(this.#policies(caller.environmentKind)[name], caller.projectId);
      }
      case 'invitation':
      case 'bulk':
        return this.#credentialLease('write', call);
      case 'read':
      case 'write':
      case 'run':
      case 'test':
        return this.#credentialLease(rate, call);
    }
  }

  #credentialLease(name: 'read' | 'write' | 'run' | 'test', { caller, address }: Call): BucketLease {
    // Services come by gRPC, and are not charged there.
    if (caller === undefined || caller.type === 'service') {
      return this.#lease(this.#whole[name], toNetwork(address));
    }
    if (caller.type === 'user') return this.#lease(this.#whole[name], caller.userId);
    return this.#lease(this.#policies(caller.environmentKind)[name], caller.apiKeyId);
  }

  /** What all credentials of the key's project share. */
  #keyProjectLease(rate: RateClass, { caller }: Call): BucketLease | undefined {
    const name = projectBuckets[rate];
    if (name === undefined || caller?.type !== 'key') return undefined;
    return this.#lease(this.#policies(caller.environmentKind)[name], caller.projectId);
  }

  /** The same for a user's request; undefined where only the handler learns which project it is about. */
  #userProjectLease(rate: RateClass, { caller, project }: Call): BucketLease | undefined {
    const name = projectBuckets[rate];
    if (name === undefined || caller?.type !== 'user' || project === undefined) return undefined;
    return this.#lease(this.#policies(project.environmentKind)[name], project.projectId);
  }

  #takeSubject(rate: RateClass, call: Call): Maybe<Quota | undefined> {
    switch (rate) {
      case 'message':
        return this.#takeMessage(call);
      case 'auth':
        return this.#takeAuth(call);
      case 'signUp':
        return this.#takeSignUp(call);
      case 'invitation':
        return this.#takeInvitation(call);
      case 'bulk':
        return this.#takeBulk(call);
      default:
        return this.#userProjectLease(rate, call)?.take();
    }
  }

  /** For the first thread the caller was charged, and with a key the project. */
  #takeBulk(call: Call): Promise<Quota | undefined> {
    const threadIds = (call.body as Fields | undefined)?.['threadIds'] as readonly string[];
    const own = this.#callerLease('bulk', call);
    const ofUser = this.#userProjectLease('bulk', call);
    const ofProject = ofUser ?? this.#keyProjectLease('bulk', call);
    const further = threadIds.slice(1).flatMap(() => (ofProject === undefined ? own : [own, ofProject]));
    return takeAll(ofUser === undefined ? further : [ofUser, ...further]);
  }

  #takeMessage(call: Call): Maybe<Quota | undefined> {
    const { project, caller } = call;
    // Only the handler learns which project it is about.
    if (project === undefined) return undefined;
    const { projectId, environmentId, environmentKind } = project;
    const policies = this.#policies(environmentKind);
    const threadId = findThreadId(call, environmentId);
    const thread =
      threadId === undefined ? undefined : this.#lease(policies.messageThread, `${projectId}/${threadId}`);
    if (caller?.type === 'key') return thread?.take();
    const ofProject = this.#lease(policies.messageProject, projectId);
    return thread === undefined ? ofProject.take() : takeBoth(thread, ofProject);
  }

  #takeInvitation(call: Call): Maybe<Quota> {
    const { workspaceId } = (call.params ?? none) as Fields;
    const ofWorkspace = this.#lease(this.#whole.invitations, String(workspaceId));
    const { caller } = call;
    const inviter = caller?.type === 'user' ? caller.userId : String(workspaceId);
    const sent = pair(ofWorkspace, this.#lease(this.#whole.invitationsUser, inviter));
    const email = findEmail(call);
    return email === undefined
      ? sent.take()
      : pair(sent, pair(...this.#emailLeases(call.address, email))).take();
  }

  /** The answer tells whether the address has an account: many questions from one network are slowed down, whichever addresses they name. */
  #takeSignUp(call: Call): Maybe<Quota | undefined> {
    const { address } = call;
    const asked = pair(
      this.#lease(this.#whole.signUpAddress, toNetwork(address)),
      this.#lease(this.#whole.signUpNetwork, toWideNetwork(address)),
    );
    return chain(asked.take(), quota => (quota.allowed ? this.#takeAuth(call) : quota));
  }

  #takeAuth(call: Call): Maybe<Quota | undefined> {
    const { caller, address } = call;
    const email = findEmail(call);
    if (caller?.type === 'user') {
      // Guesses at the present password with somebody's token count together, whatever other address they name.
      const own = pair(...this.#guessLeases(address, caller.userId));
      return email === undefined ? own.take() : pair(own, pair(...this.#emailLeases(address, email))).take();
    }
    if (email === undefined) return undefined;
    const [ofAddress, ofAll] = this.#emailLeases(address, email);
    return chain(takeBoth(ofAddress, ofAll), quota =>
      quota.bucket === 'authEmail' ? this.#takeKnown(ofAddress, address, email, quota) : quota,
    );
  }

  /** What others have used up does not hold where the account has been signed in from before. */
  async #takeKnown(ofAddress: BucketLease, address: string, email: string, refusal: Quota): Promise<Quota> {
    const known = await this.#known.find(email);
    return known.some(each => toNetwork(each) === toNetwork(address)) ? ofAddress.take() : refusal;
  }

  #emailLeases(address: string, email: string): [BucketLease, BucketLease] {
    return this.#guessLeases(address, this.#hash.digest('rate-limit', emailKey(email)).toString('base64url'));
  }

  /** Of one address, and of all. */
  #guessLeases(address: string, at: string): [BucketLease, BucketLease] {
    return [
      this.#lease(this.#whole.authAddressEmail, `${toNetwork(address)}/${at}`),
      this.#lease(this.#whole.authEmail, at),
    ];
  }
}

export function createPolicies(
  rates: Rates,
  counts: Readonly<Record<BucketName, QuotaCounts>>,
): RatePolicies {
  const policies: Partial<Record<BucketName, RatePolicy>> = {};
  for (const name of bucketNames) {
    const rate = rates[name];
    policies[name] = {
      name,
      rate,
      localRate: guarded.has(name) ? quarterRate(rate) : rate,
      counts: counts[name],
      prefix: `${name}/${rate.limit}/${rate.windowMs}/`,
    };
  }
  return policies as RatePolicies;
}

/** Of a sandbox. A conversation has the same bursts there: a script that tries one out must not have to wait. */
function quarterRates(rates: Rates): Rates {
  const quarters = Object.fromEntries(bucketNames.map(name => [name, quarterRate(rates[name])])) as Rates;
  return { ...quarters, messageThread: rates.messageThread };
}

type Chargeable = Pick<BucketLease, 'take' | 'refund'>;

/** Two that are charged as one. */
function pair(a: Chargeable, b: Chargeable): Chargeable {
  return {
    take: () => takeBoth(a, b),
    refund: () => {
      a.refund();
      b.refund();
    },
  };
}

/** Takes from all, or from none; gives the quota that refuses, with the time until all would have been allowed, else one that has least left. */
async function takeAll(leases: readonly BucketLease[]): Promise<Quota | undefined> {
  const quotas = await Promise.all(leases.map(lease => Promise.resolve(lease.take())));
  const refused = quotas.filter(({ allowed }) => !allowed);
  const [first] = refused;
  if (first === undefined) return quotas.toSorted((a, b) => a.remaining - b.remaining)[0];
  quotas.forEach(({ allowed }, index) => {
    if (allowed) leases[index]?.refund();
  });
  const missing = refused.filter(({ bucket }) => bucket === first.bucket).length;
  const { retryAfterSeconds = 0, windowSeconds = 0, limit } = first;
  return { ...first, retryAfterSeconds: retryAfterSeconds + ((missing - 1) * windowSeconds) / limit };
}

/** Takes from both, or from neither; gives the quota that refuses, else the one that has less left. */
function takeBoth(a: Chargeable, b: Chargeable): Maybe<Quota> {
  const first = a.take();
  // Where neither has to wait, a refusal of the first spares the second. Else both are asked at the same time.
  if (first instanceof Promise) {
    return Promise.all([first, b.take()]).then(([one, other]) => settleBoth(one, other, a, b));
  }
  if (!first.allowed) return first;
  const second = b.take();
  if (second instanceof Promise) return second.then(taken => settleBoth(first, taken, a, b));
  return settleBoth(first, second, a, b);
}

function settleBoth(ofA: Quota, ofB: Quota, a: Chargeable, b: Chargeable): Quota {
  if (ofA.allowed && ofB.allowed) return ofB.remaining < ofA.remaining ? ofB : ofA;
  if (ofA.allowed) a.refund();
  if (ofB.allowed) b.refund();
  if (ofA.allowed || ofB.allowed) return ofA.allowed ? ofB : ofA;
  return (ofB.retryAfterSeconds ?? 0) > (ofA.retryAfterSeconds ?? 0) ? ofB : ofA;
}

/** The address that a request signs in with or sends mail to: also that of a change of address. */
function findEmail({ body }: Call): string | undefined {
  const { email: named, newEmail } = (body ?? none) as Fields;
  const email = named ?? newEmail;
  return typeof email === 'string' ? email : undefined;
}

/**
 * The thread that a message is for: as the path or the body names it, else by its identity. A user who omits
 * the environment of a channel outside the sandbox is charged under another name for the same thread, and always under the same.
 */
function findThreadId(call: Call, environmentId: string): string | undefined {
  const { threadId, channelId } = (call.params ?? none) as Fields;
  const body = (call.body ?? none) as Fields;
  const named = threadId ?? body['threadId'];
  if (typeof named === 'string') return named;
  const reference = pickExternalRef<unknown>(body);
  if (typeof reference !== 'string' || typeof channelId !== 'string') return undefined;
  return deriveThreadId(environmentId, channelId, reference);
}

const none: Fields = {};
