/** The invariants that can only be looked at in the end. */
import { checkHistory, type Findings } from '../support/history.ts';
import type { Clients } from './clients.ts';
import type { Watcher } from './console.ts';
import {
  conversationRef,
  conversations,
  ledgerRef,
  ledgers,
  notes,
  type Conversation,
  type LedgerState,
} from './conversation.ts';
import type { Fleet } from './fleet.ts';
import type { Invariant } from './invariants.ts';
import type { Simulation } from './simulation.ts';

const findingInvariants: Readonly<Record<keyof Findings, Invariant>> = {
  lost: 'nothing acknowledged is lost',
  doubled: 'nothing is applied twice',
  refused: 'what was refused is not applied',
  invented: 'only what is committed leaves',
  disordered: 'order is kept',
  untrue: 'only what is committed leaves',
};

/** Marks of reminders and nudges. */
const isOwn = (mark: string): boolean => mark.includes(':');

export function checkFinalState(
  simulation: Simulation,
  fleet: Fleet,
  clients: Clients,
  watchers: readonly Watcher[],
): void {
  const { verdict } = simulation;
  const { operations, looks } = clients;
  const truth = readTruth(simulation);
  const findings = checkHistory(
    { operations: operations.filter(({ actor }) => actor !== notes), looks },
    truth,
    isOwn,
  );
  for (const [kind, details] of Object.entries(findings) as [keyof Findings, readonly string[]][]) {
    verdict.all(findingInvariants[kind], details);
  }
  checkNotes(simulation, clients);
  checkLog(simulation, truth);
  checkVersions(simulation);
  checkReminders(simulation, truth);
  simulation.database.owed.check();
  const { attemptCount, countedAttempts } = simulation.database.deliveries.tables;
  if (attemptCount !== countedAttempts)
    verdict.broken('an attempt counts once', `${attemptCount} attempts were counted as ${countedAttempts}`);
  for (const member of fleet.alive) member.checkMailboxes();
  for (const letter of simulation.database.rows.letters) {
    if (letter.name === 'deliver') continue;
    verdict.broken(
      'every reminder fires',
      `${letter.name} of ${letter.actor.id} was buried: ${letter.error}`,
    );
  }
  for (const { projectId, resumes } of watchers)
    simulation.tell(() => `the watcher of ${projectId} resumed ${resumes} times`);
}

function readTruth({ database }: Simulation): Map<string, readonly string[]> {
  const { rows } = database;
  const truth = new Map<string, readonly string[]>();
  for (const id of conversations)
    truth.set(id, (rows.read(conversationRef(id))?.state as Conversation | undefined)?.marks ?? []);
  for (const id of ledgers)
    truth.set(id, (rows.read(ledgerRef(id))?.state as LedgerState | undefined)?.marks ?? []);
  return truth;
}

/** Notes have no order: they are there, or not. */
function checkNotes({ database, verdict }: Simulation, { operations }: Clients): void {
  const keys = new Set(database.rows.writes.map(({ key }) => key));
  for (const { id, actor, outcome } of operations) {
    if (actor !== notes) continue;
    if (outcome === 'ok' && !keys.has(id)) verdict.broken('nothing acknowledged is lost', `the note ${id}`);
    if (outcome === 'refused' && keys.has(id))
      verdict.broken('what was refused is not applied', `the note ${id}`);
  }
}

/** The events are the conversation, word for word. */
function checkLog({ database, verdict }: Simulation, truth: ReadonlyMap<string, readonly string[]>): void {
  for (const id of conversations) {
    const events = (database.marks.get(id) ?? []).join();
    const marks = (truth.get(id) ?? []).join();
    if (events !== marks)
      verdict.broken('sequences are dense', `${id} has the events ${events} and the state ${marks}`);
  }
  for (const [projectId, events] of database.events) {
    for (const { eventName, body } of events) {
      if (eventName.startsWith('stitch.')) continue;
      const { conversation, sequence, mark } = JSON.parse(body) as {
        conversation: string;
        sequence: number;
        mark: string;
      };
      if (truth.get(conversation)?.[sequence - 1] === mark) continue;
      verdict.broken(
        'sequences are dense',
        `${projectId}: ${mark} is not event ${sequence} of ${conversation}`,
      );
    }
  }
}

/** Each version of an actor was written once, on the one before. */
function checkVersions({ database, verdict }: Simulation): void {
  const versions = new Map<string, { readonly version: number; readonly node: string }>();
  for (const { actor, base, version, node } of database.commits) {
    const name = `${actor.kind} ${actor.id}`;
    const before = versions.get(name) ?? { version: 0, node: 'nobody' };
    if (base !== before.version) {
      const detail = `${node} wrote on version ${base} of ${name}, which ${before.node} had moved to ${before.version}`;
      verdict.broken('one writer per version', detail);
    }
    if (version !== undefined) versions.set(name, { version, node });
  }
}

/** What was set was heard, by the conversation that it was set for. */
function checkReminders(
  { database, verdict }: Simulation,
  truth: ReadonlyMap<string, readonly string[]>,
): void {
  for (const { remind } of database.commits) {
    for (const { to, command, payload } of remind) {
      if (command !== 'wake') continue;
      const { mark } = payload as { mark: string };
      if (!(truth.get(to.id) ?? []).includes(mark))
        verdict.broken('every reminder fires', `${mark} of ${to.id} never did`);
    }
  }
}
