/** What is sick: by the names and thresholds of the alerts, and each told once, the worst first. */
import { readFile } from 'node:fs/promises';
import t from 'tap';
import { parse } from 'yaml';
import { faultRules, findFaults } from '../../../gateway/system/faults.ts';
import { countSpans } from '../../../gateway/system/figures.ts';
import { systemFaultNames } from '../../../protocol/resources/system.ts';
import { createReport } from './report-fixture.ts';

interface Rules {
  readonly groups: readonly {
    readonly rules: readonly {
      readonly alert: string;
      readonly expr: string;
      readonly labels: { readonly severity: string };
    }[];
  }[];
}

const { groups } = parse(
  await readFile(new URL('../../../deploy/prometheus/rules.yaml', import.meta.url), 'utf8'),
) as Rules;
const alerts = groups.flatMap(({ rules }) => rules);

t.test('each alert has a rule here, of its severity and with its threshold', async t => {
  t.strictSame(
    alerts.map(({ alert }) => alert),
    [...systemFaultNames],
  );
  t.strictSame(Object.keys(faultRules), [...systemFaultNames]);
  for (const { alert, expr, labels } of alerts) {
    const rule = Object.entries(faultRules).find(([name]) => name === alert)?.[1];
    t.equal(rule?.severity, labels.severity, alert);
    // The last comparison; of products too.
    const [, threshold = ''] = /[<>=]=? ([\d.]+(?: \* [\d.]+)?)\s*$/.exec(expr) ?? [];
    const wanted = threshold.split(' * ').reduce((product, factor) => product * Number(factor), 1);
    // An alert for a node that does not answer at all asks Prometheus.
    if (alert !== 'SkeinDown') t.equal(rule?.limit, wanted, `${alert}: ${expr}`);
  }
});

t.test('increases are read over the spans of the alerts', async t => {
  const spans = {
    SkeinErrors: ['answers', 'serverErrors'],
    SkeinCommitsRefused: ['commitsRefused'],
    SkeinStorageFull: ['storageRefused'],
    SkeinOverloaded: ['overloaded'],
    SkeinDefects: ['defects'],
    SkeinMaintenanceFails: ['sweepFailures'],
    SkeinNodesCutOff: ['leaseExpiries', 'membersExpired'],
    SkeinQuotasAlone: ['quotaUnanswered'],
    SkeinModelsFail: ['modelSteps', 'modelFailures'],
    SkeinChatappFails: ['chatappCalls', 'chatappFailures'],
    SkeinMailsFail: ['mailAttempts', 'mailFailures'],
    SkeinSecretsUnreadable: ['secretsUnreadable'],
  } as const;
  for (const [name, counts] of Object.entries(spans)) {
    const [, minutes] = /\[(\d+)m\]/.exec(alerts.find(({ alert }) => alert === name)?.expr ?? '') ?? [];
    for (const count of counts) t.equal(countSpans[count], Number(minutes), `${name}: ${count}`);
  }
});

t.test('nodes that are well have no fault', async t => {
  t.strictSame(
    findFaults({ reports: [createReport('one'), createReport('two')], silent: [], deadLetters: 0 }),
    [],
  );
  const atTheLimit = createReport('one', {
    node: { commitP99Ms: 500, clockAheadSeconds: -60 },
    increases: { answers: 100, serverErrors: 1, modelSteps: 2, modelFailures: 1 },
    tokenExpirySeconds: 7 * 86_400,
  });
  t.strictSame(findFaults({ reports: [atTheLimit], silent: [], deadLetters: 0 }), []);
});

t.test('each fault is found, once, with its nodes and the worst figure', async t => {
  const one = createReport('one', {
    node: {
      commitP99Ms: 700,
      commitsRefused: 2,
      overloaded: 1,
      defects: 1,
      clockAheadSeconds: -90,
    },
    increases: {
      answers: 100,
      serverErrors: 2,
      modelSteps: 3,
      modelFailures: 2,
      chatappCalls: 4,
      chatappFailures: 3,
      mailAttempts: 5,
      mailFailures: 4,
      secretsUnreadable: 6,
      storageRefused: 8,
      sweepFailures: 1,
      membersExpired: 1,
      quotaUnanswered: 4,
    },
    held: { eventLoopP99Seconds: 0.3, waiting: 7, vacantShards: 5 },
    webhookDelayMs: [
      [10_000, 0],
      [20_000, 10],
      [null, 10],
    ],
    tokenExpirySeconds: 3_600,
    oldestSnapshotSeconds: 8_000,
  });
  const two = createReport('two', { node: { commitP99Ms: 900, commitsRefused: 0 } });
  const faults = findFaults({ reports: [one, two], silent: ['three'], deadLetters: 1 });
  t.strictSame(
    faults.map(({ name, nodeIds, value }) => [name, nodeIds.join(), value]),
    [
      ['SkeinDown', 'three', null],
      ['SkeinErrors', '', 0.02],
      ['SkeinCommitsSlow', 'one,two', 900],
      ['SkeinCommitsRefused', 'one', 2],
      ['SkeinStorageFull', 'one', 8],
      ['SkeinOverloaded', 'one', 1],
      ['SkeinShardsVacant', '', 5],
      ['SkeinWebhooksLate', '', 15_000],
      ['SkeinChatappFails', '', 0.75],
      ['SkeinSecretsUnreadable', 'one', 6],
      ['SkeinNodeBusy', 'one', 0.3],
      ['SkeinDeadLetters', '', 1],
      ['SkeinDefects', 'one', 1],
      ['SkeinMaintenanceFails', 'one', 1],
      ['SkeinNodesCutOff', 'one', 1],
      ['SkeinClockOff', 'one', 90],
      ['SkeinQuotasAlone', 'one', 4],
      ['SkeinPoolsFull', 'one', 7],
      ['SkeinModelsFail', '', 2 / 3],
      ['SkeinTokensExpire', '', 3_600],
      ['SkeinSnapshotOld', '', 8_000],
      ['SkeinMailsFail', '', 0.8],
    ],
  );
});

t.test('a node of an earlier release, which does not count mails, hides no fault of the others', async t => {
  const one = createReport('one', { increases: { mailAttempts: 2, mailFailures: 2 } });
  const earlier = createReport('two');
  const { mailAttempts, mailFailures, ...increases } = earlier.increases;
  t.strictSame([mailAttempts, mailFailures], [0, 0]);
  const reports = [one, { ...earlier, increases: increases as typeof earlier.increases }];
  t.match(findFaults({ reports, silent: [], deadLetters: 0 }), [{ name: 'SkeinMailsFail', value: 1 }]);
});

t.test('nodes that are not ready are named, whichever check it is', async t => {
  const cut = createReport('one', { node: { status: 'failed', failedChecks: ['cluster'] } });
  const blind = createReport('two', { node: { status: 'failed', failedChecks: ['database'] } });
  const late = createReport('three', { increases: { leaseExpiries: 2 } });
  t.match(findFaults({ reports: [cut, blind, late], silent: [], deadLetters: 0 }), [
    { name: 'SkeinNotReady', severity: 'page', nodeIds: ['one', 'two'], value: null },
    { name: 'SkeinNodesCutOff', severity: 'ticket', nodeIds: ['three'], value: 2 },
  ]);
});
