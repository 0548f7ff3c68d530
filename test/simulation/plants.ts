/** The bugs, as texts to replace. */

export interface Plant {
  /** What it breaks: a rule of design section 2, or what the runtime promises beyond. */
  readonly rule: string;
  readonly bug: string;
  readonly file: string;
  /** Occurs once in the file. */
  readonly find: string;
  readonly replace: string;
}

export const plants: readonly Plant[] = [
  {
    rule: 'rule 1',
    bug: 'answers are released while their commit is in flight',
    file: 'runtime/activation.ts',
    find: "if (head.step === 'open' || head.step === 'broken') break;",
    replace: "if (head.step === 'broken') break;",
  },
  {
    rule: 'rule 1',
    bug: 'a commit that was refused is answered as if it had landed',
    file: 'runtime/activation.ts',
    find: '    command.error = error;\n    // Without',
    replace: '    // Without',
  },
  {
    rule: 'rule 1',
    bug: 'a read does not wait for the commits that it has seen',
    file: 'runtime/activation.ts',
    find: '} else if (transient || this.#flight.head === undefined) {',
    replace: '} else if (command.commit === undefined) {',
  },
  {
    rule: 'rule 2',
    bug: 'the store does not look at the version',
    file: 'test/support/memory-store.ts',
    find: 'if (chain.broken || (this.rows.get(nameOf(actor))?.version ?? 0) !== base) throw new Fenced(actor);',
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
    file: 'runtime/activation.ts',
    find: 'const state = loaded === undefined ? this.#kind.blank(this.ref.id) : loaded.state;',
    replace:
      'const state = this.#standing.state ?? (loaded === undefined ? this.#kind.blank(this.ref.id) : loaded.state);',
  },
  {
    rule: 'rule 4',
    bug: 'effects begin before their commit',
    file: 'runtime/activation.ts',
    find: 'if (transient) this.#startEffects(command);',
    replace: 'this.#startEffects(command);',
  },
  {
    rule: 'rule 5',
    bug: 'turns that were undone go to the end of the mailbox',
    file: 'runtime/activation.ts',
    find: 'this.#waiting.prepend(again);',
    replace:
      'for (let undone = again.shift(); undone !== undefined; undone = again.shift()) this.#waiting.push(undone);',
  },
  {
    rule: 'rule 6',
    bug: 'a mailbox has no bound',
    file: 'runtime/activation.ts',
    find: 'if (depth >= limits.mailbox) {',
    replace: 'if (depth >= Infinity) {',
  },
  {
    rule: 'rule 6',
    bug: 'a node has no budget',
    file: 'runtime/node.ts',
    find: 'if (admitted >= limits.admitted) {',
    replace: 'if (admitted >= Infinity) {',
  },
  {
    rule: 'rule 6',
    bug: 'a refused command is not counted off',
    file: 'runtime/activation.ts',
    find: '  #fail(command: Command, error: Error): void {\n    this.#host.admitted--;\n',
    replace: '  #fail(command: Command, error: Error): void {\n',
  },
  {
    rule: 'leases',
    bug: 'a node serves past its lease',
    file: 'runtime/territory.ts',
    find: 'return this.#until === Infinity || this.#options.host.clock.monotonic() < this.#until;',
    replace: 'return true;',
  },
  {
    rule: 'leases',
    bug: 'a holder counts its lease longer than the others do',
    file: 'runtime/cluster/membership.ts',
    find: 'this.#until = sentAt + host.timing.leaseMs - host.timing.marginMs;',
    replace: 'this.#until = sentAt + host.timing.leaseMs + host.timing.marginMs;',
  },
  {
    rule: 'leases',
    bug: 'a member is taken for dead too early',
    file: 'runtime/cluster/failure-detector.ts',
    find: 'return host.clock.monotonic() - silentSince >= host.timing.leaseMs;',
    replace: 'return host.clock.monotonic() - silentSince >= host.timing.leaseMs / 2;',
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
    find: "if (outcome === 'unknown' && revision !== undefined) this.#doubts.set(shard, revision);",
    replace: '',
  },
  {
    rule: 'leases',
    bug: 'the target of a hand-over does not take it',
    file: 'runtime/cluster/shard-step.ts',
    find: 'return inDoubt ? claim : take;',
    replace: 'return inDoubt ? claim : nothing;',
  },
  {
    rule: 'leases',
    bug: 'the shards of a dead node stay with it',
    file: 'runtime/cluster/shard-step.ts',
    find: "if (standing === 'vacant') return desired === self && !draining ? claim : nothing;",
    replace: "if (standing === 'vacant') return nothing;",
  },
  {
    rule: 'leases',
    bug: 'the last heartbeat of a dead node keeps its successor out',
    file: 'runtime/cluster/joining.ts',
    find: 'const mostLateRenewals = 1;',
    replace: 'const mostLateRenewals = 0;',
  },
  {
    rule: 'drain and join',
    bug: 'an ask that finds no owner fails at once',
    file: 'runtime/router.ts',
    find: '(here(envelope) ?? transport.ask(shard, envelope))',
    replace:
      "(here(envelope) ?? transport.ask(shard, envelope).catch(() => Promise.reject(unavailable('no_owner'))))",
  },
  {
    rule: 'drain and join',
    bug: 'an ask that comes while its shard leaves is not answered',
    file: 'runtime/transport/nats-shard.ts',
    find: 'if (this.#left !== undefined) return this.#answer(token, saysNoOwner);',
    replace: 'if (this.#left !== undefined) return;',
  },
  {
    rule: 'reminders',
    bug: 'a reminder that meets a store in trouble is dropped',
    file: 'runtime/reminders.ts',
    find: 'if (isRefusal(error) || (!isUnavailable && attempts >= limits.reminderTries)) {',
    replace: 'if (isRefusal(error) || isUnavailable || attempts >= limits.reminderTries) {',
  },
  {
    rule: 'reminders',
    bug: 'a scan that failed is not repeated',
    file: 'runtime/reminders.ts',
    find: '    this.#scanning = false;\n    this.#doneMeanwhile.clear();',
    replace: '    this.#scanning = this.#scanFailures > 0;\n    this.#doneMeanwhile.clear();',
  },
  {
    rule: 'Console streams',
    bug: 'a gap in the news is not healed from the log',
    file: 'gateway/stream/hub.ts',
    find: 'if (feed.healSoon || feed.healing !== undefined || this.#over(feed)) return;',
    replace: 'if (feed.loaded) return;',
  },
  {
    rule: 'Console streams',
    bug: 'what comes after a gap is shown at once',
    file: 'gateway/stream/hub.ts',
    find: 'if (event.seq === feed.head + 1) {',
    replace: 'if (event.seq > feed.head) {',
  },
  {
    rule: 'Console streams',
    bug: 'a stream goes live without the events it had missed',
    file: 'gateway/stream/subscriber.ts',
    find: 'else if (this.cursor === head) this.#goLive();',
    replace: 'else if (this.cursor <= head) this.#goLive();',
  },
];
