/**
 * What is sick: the alerts of deploy/prometheus/rules.yaml, by their names and thresholds, as far as the nodes themselves can tell. An alert
 * waits until its condition has held for some minutes; here it shows at once, but for gauges that are high for a moment now and then.
 */
import type { SystemFault, SystemFaultName } from '../../protocol/resources/index.ts';
import { addBuckets, findQuantile } from './figures.ts';
import type { NodeReport } from './node-report.ts';

export interface FaultRule {
  readonly severity: SystemFault['severity'];
  /** In the unit of the figure. Undefined: it is no number that is wrong. */
  readonly limit?: number;
}

const dayS = 86_400;

export const faultRules: Readonly<Record<SystemFaultName, FaultRule>> = {
  SkeinDown: { severity: 'page' },
  SkeinNotReady: { severity: 'page', limit: 0 },
  SkeinErrors: { severity: 'page', limit: 0.01 },
  SkeinCommitsSlow: { severity: 'page', limit: 500 },
  SkeinCommitsRefused: { severity: 'page', limit: 0 },
  SkeinStorageFull: { severity: 'page', limit: 0 },
  SkeinNodeBusy: { severity: 'ticket', limit: 0.2 },
  SkeinOverloaded: { severity: 'page', limit: 0 },
  SkeinDeadLetters: { severity: 'ticket', limit: 0 },
  SkeinDefects: { severity: 'ticket', limit: 0 },
  SkeinMaintenanceFails: { severity: 'ticket', limit: 0 },
  SkeinNodesCutOff: { severity: 'ticket', limit: 0 },
  SkeinClockOff: { severity: 'ticket', limit: 60 },
  SkeinShardsVacant: { severity: 'page', limit: 0 },
  SkeinQuotasAlone: { severity: 'ticket', limit: 0 },
  SkeinWebhooksLate: { severity: 'page', limit: 10_000 },
  SkeinPoolsFull: { severity: 'ticket', limit: 0 },
  SkeinModelsFail: { severity: 'ticket', limit: 0.5 },
  SkeinChatappFails: { severity: 'page', limit: 0.5 },
  SkeinTokensExpire: { severity: 'ticket', limit: 7 * dayS },
  SkeinSnapshotOld: { severity: 'ticket', limit: 7_200 },
  SkeinMailsFail: { severity: 'ticket', limit: 0.5 },
  SkeinSecretsUnreadable: { severity: 'page', limit: 0 },
};

/** Of each node by itself. */
const ofNodes: readonly (readonly [SystemFaultName, (report: NodeReport) => number])[] = [
  ['SkeinCommitsSlow', ({ node }) => node.commitP99Ms ?? 0],
  ['SkeinCommitsRefused', ({ node }) => node.commitsRefused],
  ['SkeinStorageFull', ({ increases }) => increases.storageRefused],
  ['SkeinNodeBusy', ({ held }) => held.eventLoopP99Seconds],
  ['SkeinOverloaded', ({ node }) => node.overloaded],
  ['SkeinDefects', ({ node }) => node.defects],
  ['SkeinMaintenanceFails', ({ increases }) => increases.sweepFailures],
  ['SkeinNodesCutOff', ({ increases }) => increases.leaseExpiries + increases.membersExpired],
  ['SkeinClockOff', ({ node }) => Math.abs(node.clockAheadSeconds)],
  ['SkeinQuotasAlone', ({ increases }) => increases.quotaUnanswered],
  ['SkeinPoolsFull', ({ held }) => held.waiting],
  ['SkeinSecretsUnreadable', ({ increases }) => increases.secretsUnreadable],
];

/** Of all nodes together; null: there is nothing to judge by. */
const ofAll: readonly (readonly [SystemFaultName, (reports: readonly NodeReport[]) => number | null])[] = [
  ['SkeinErrors', reports => share(reports, 'serverErrors', 'answers')],
  ['SkeinWebhooksLate', reports => findQuantile(0.5, addBuckets(reports.map(each => each.webhookDelayMs)))],
  ['SkeinShardsVacant', reports => Math.max(0, ...reports.map(({ held }) => held.vacantShards))],
  ['SkeinModelsFail', reports => share(reports, 'modelFailures', 'modelSteps')],
  ['SkeinChatappFails', reports => share(reports, 'chatappFailures', 'chatappCalls')],
  // A node of an earlier release does not report it.
  ['SkeinSnapshotOld', reports => Math.max(0, ...reports.map(each => each.oldestSnapshotSeconds ?? 0))],
  ['SkeinMailsFail', reports => share(reports, 'mailFailures', 'mailAttempts')],
];

export interface Situation {
  readonly reports: readonly NodeReport[];
  /** Members that do not answer though they could. */
  readonly silent: readonly string[];
  /** Dead letters that are kept. */
  readonly deadLetters: number;
}

/** Those that wake somebody first, in the order of the rules. */
export function findFaults({ reports, silent, deadLetters }: Situation): SystemFault[] {
  const found: SystemFault[] = [];
  const add = (name: SystemFaultName, nodeIds: readonly string[], value: number | null): void => {
    const { severity, limit = null } = faultRules[name];
    found.push({ name, severity, nodeIds: [...nodeIds], value, limit });
  };
  if (silent.length > 0) add('SkeinDown', silent, null);
  if (deadLetters > 0) add('SkeinDeadLetters', [], deadLetters);
  for (const [name, read] of ofAll) {
    const value = read(reports);
    if (value !== null && value > (faultRules[name].limit ?? 0)) add(name, [], value);
  }
  for (const [name, read] of ofNodes) {
    const sick = reports.filter(report => read(report) > (faultRules[name].limit ?? 0));
    if (sick.length > 0) {
      add(
        name,
        sick.map(({ nodeId }) => nodeId),
        Math.max(...sick.map(read)),
      );
    }
  }
  const unready = reports.filter(({ node }) => node.failedChecks.length > 0);
  if (unready.length > 0) {
    add(
      'SkeinNotReady',
      unready.map(({ nodeId }) => nodeId),
      null,
    );
  }
  const expiries = reports.flatMap(({ tokenExpirySeconds }) => tokenExpirySeconds ?? []);
  const expiry = Math.min(...expiries);
  if (expiry < (faultRules.SkeinTokensExpire.limit ?? 0)) add('SkeinTokensExpire', [], expiry);
  const names = Object.keys(faultRules);
  const rank = ({ severity, name }: SystemFault): number =>
    (severity === 'page' ? 0 : names.length) + names.indexOf(name);
  return found.sort((a, b) => rank(a) - rank(b));
}

function share(
  reports: readonly NodeReport[],
  part: 'serverErrors' | 'modelFailures' | 'chatappFailures' | 'mailFailures',
  whole: 'answers' | 'modelSteps' | 'chatappCalls' | 'mailAttempts',
): number | null {
  // A node of an earlier release does not tell what is counted since.
  const told = reports.filter(({ increases }) => whole in increases);
  const add = (name: typeof part | typeof whole): number =>
    told.reduce((total, { increases }) => total + increases[name], 0);
  return add(whole) === 0 ? null : add(part) / add(whole);
}
