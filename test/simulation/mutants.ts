/** Bugs that the simulation has to find: each a small edit of the code that breaks one of its invariants. */
import type { Mutation } from './mutate.ts';

export interface Mutant extends Mutation {
  /** What it breaks: a rule of docs/develop/architecture.md, or what the runtime promises beyond. */
  readonly rule: string;
  readonly bug: string;
  readonly file: string;
}

export const mutants: readonly Mutant[] = [
  {
    rule: 'rule 1',
    bug: 'answers are released while their commit is in flight',
    file: 'runtime/actor/activation.ts',
    in: 'Activation.#release',
    find: "if (head.status === 'committing' || head.status === 'broken') break;",
    replace: "if (head.status === 'broken') break;",
  },
  {
    rule: 'rule 1',
    bug: 'a commit that was refused is answered as if it had succeeded',
    file: 'runtime/actor/activation.ts',
    in: 'Activation.#onRefused',
    find: 'command.error = error;',
    replace: '',
  },
  {
    rule: 'rule 1',
    bug: 'a read does not wait for the commits that it has seen',
    file: 'runtime/actor/activation.ts',
    find: 'transient || this.#inFlight.head === undefined',
    replace: 'command.commit === undefined',
  },
  {
    rule: 'rule 2',
    bug: 'the store does not look at the version',
    file: 'test/support/memory-store.ts',
    find: 'if (chain.broken || (this.rows.get(toName(actor))?.version ?? 0) !== base) throw new Fenced(actor);',
    replace: 'if (chain.broken) throw new Fenced(actor);',
  },
  {
    rule: 'rule 2',
    bug: 'the store takes what was decided on top of a refused commit',
    file: 'test/support/memory-store.ts',
    find: 'if (snapshot !== undefined || error instanceof Fenced) chain.broken = true;',
    replace: 'if (error instanceof Fenced && snapshot === undefined) chain.broken = false;',
  },
  {
    rule: 'rule 2',
    bug: 'after a refused commit the old state is kept',
    file: 'runtime/actor/activation.ts',
    find: 'const state = loaded === undefined ? this.#kind.initialState(this.ref.id) : loaded.state;',
    replace:
      'const state = this.#current.state ?? (loaded === undefined ? this.#kind.initialState(this.ref.id) : loaded.state);',
  },
  {
    rule: 'rule 4',
    bug: 'effects begin before their commit',
    file: 'runtime/actor/activation.ts',
    find: 'if (transient) this.#startEffects(command);',
    replace: 'this.#startEffects(command);',
  },
  {
    rule: 'rule 5',
    bug: 'turns that were undone go to the end of the mailbox',
    file: 'runtime/actor/activation.ts',
    find: 'this.#mailbox.prepend(undone);',
    replace:
      'for (let command = undone.shift(); command !== undefined; command = undone.shift()) this.#mailbox.push(command);',
  },
  {
    rule: 'rule 6',
    bug: 'a mailbox has no bound',
    file: 'runtime/actor/activation.ts',
    find: 'depth >= limits.mailbox',
    replace: 'false',
  },
  {
    rule: 'rule 6',
    bug: 'a node has no budget',
    file: 'runtime/node/node.ts',
    find: 'admitted >= limits.admitted',
    replace: 'false',
  },
  {
    rule: 'rule 6',
    bug: 'a refused command is not counted off',
    file: 'runtime/actor/activation.ts',
    in: 'Activation.#fail',
    find: 'this.#context.admitted--;',
    replace: '',
  },
  {
    rule: 'leases',
    bug: 'a node serves past its lease',
    file: 'runtime/node/local-shards.ts',
    find: 'return this.#leasedUntil === Infinity || this.#options.context.clock.monotonic() < this.#leasedUntil;',
    replace: 'return true;',
  },
  {
    rule: 'leases',
    bug: 'a holder counts its lease longer than the others do',
    file: 'runtime/cluster/membership.ts',
    find: 'this.#leasedUntil = sentAt + context.timing.leaseMs - context.timing.marginMs;',
    replace: 'this.#leasedUntil = sentAt + context.timing.leaseMs + context.timing.marginMs;',
  },
  {
    rule: 'leases',
    bug: 'a member is taken for dead too early',
    file: 'runtime/cluster/failure-detector.ts',
    find: 'return context.clock.monotonic() - silentSince >= context.timing.leaseMs;',
    replace: 'return context.clock.monotonic() - silentSince >= context.timing.leaseMs / 2;',
  },
  {
    rule: 'leases',
    bug: 'a shard is handed over while it is still served',
    file: 'runtime/cluster/leases.ts',
    find: 'return { released: this.#release([shard]) };',
    replace: 'return nothingToFinish;',
  },
  {
    rule: 'leases',
    bug: 'a hand-over whose outcome is unknown is forgotten',
    file: 'runtime/cluster/leases.ts',
    find: "if (outcome === 'unknown' && revision !== undefined) this.#unanswered.set(shard, revision);",
    replace: '',
  },
  {
    rule: 'leases',
    bug: 'the target of a hand-over does not take it',
    file: 'runtime/cluster/lease-action.ts',
    find: 'return inDoubt ? claim : take;',
    replace: 'return inDoubt ? claim : nothing;',
  },
  {
    rule: 'leases',
    bug: 'the shards of a dead node stay with it',
    file: 'runtime/cluster/lease-action.ts',
    find: "if (ownership === 'vacant') return desired === self && !draining ? claim : nothing;",
    replace: "if (ownership === 'vacant') return nothing;",
  },
  {
    rule: 'leases',
    bug: 'the last heartbeat of a dead node keeps its successor out',
    file: 'runtime/cluster/joining.ts',
    find: 'const maxLateRenewals = 1;',
    replace: 'const maxLateRenewals = 0;',
  },
  {
    rule: 'drain and join',
    bug: 'an ask that finds no owner fails at once',
    file: 'runtime/node/router.ts',
    in: 'Router.#send',
    find: 'transport.ask(shard, envelope)',
    replace: "transport.ask(shard, envelope).catch(() => Promise.reject(unavailable('no_owner')))",
  },
  {
    rule: 'drain and join',
    bug: 'an ask that comes while its shard leaves is not answered',
    file: 'runtime/transport/nats-shard.ts',
    find: 'if (this.#left !== undefined) return this.#answer(token, noOwnerText);',
    replace: 'if (this.#left !== undefined) return;',
  },
  {
    rule: 'reminders',
    bug: 'a reminder that meets a store in trouble is dropped',
    file: 'runtime/node/reminders.ts',
    find: '!isUnavailable && attempts >= limits.reminderTries',
    replace: 'isUnavailable || attempts >= limits.reminderTries',
  },
  {
    rule: 'reminders',
    bug: 'a scan that failed is not repeated',
    file: 'runtime/node/reminders.ts',
    in: 'Reminders.#scan',
    find: 'this.#scanning = false;',
    replace: 'this.#scanning = this.#scanFailures > 0;',
  },
  {
    rule: 'Console streams',
    bug: 'a gap in the notifications is not filled from the log',
    file: 'gateway/stream/hub.ts',
    find: 'if (stream.isFillDue || stream.filling !== undefined || this.#hasEnded(stream)) return;',
    replace: 'if (stream.loaded) return;',
  },
  {
    rule: 'Console streams',
    bug: 'what comes after a gap is shown at once',
    file: 'gateway/stream/hub.ts',
    find: 'event.seq === stream.head + 1',
    replace: 'event.seq > stream.head',
  },
  {
    rule: 'Console streams',
    bug: 'a stream goes live without the events it had missed',
    file: 'gateway/stream/subscriber.ts',
    find: 'this.cursor === head',
    replace: 'this.cursor <= head',
  },
];
