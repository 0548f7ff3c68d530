/** The members of the cluster, and what each says of itself. */
import { Badge } from '@mantine/core';
import { useFormats } from '../../kit/use-formats.ts';
import type { System, SystemNode, SystemNodeReport } from '../../sdk/index.ts';
import { Section } from '../parts/page.tsx';
import { type PlainColumn, PlainTable } from './plain-table.tsx';
import classes from './system.module.css';
import { formatSpan } from './units.ts';
import { useSystemTexts } from './use-texts.ts';

export function Nodes({ system }: { readonly system: System }) {
  const texts = useSystemTexts().nodes;
  const columns = useColumns(system);
  return (
    <Section title={texts.title}>
      <PlainTable
        label={texts.title}
        columns={columns}
        rows={system.nodes}
        rowKey={({ nodeId }) => nodeId}
        minWidth={1_080}
      />
    </Section>
  );
}

function useColumns({ nodeId: asked, at, faults }: System): readonly PlainColumn<SystemNode>[] {
  const { nodes: texts, never } = useSystemTexts();
  const formats = useFormats();
  /** Marked where it is a reason of a fault. */
  const mark = (node: SystemNode, names: readonly string[], text: string) =>
    faults.some(({ name, nodeIds }) => names.includes(name) && nodeIds.includes(node.nodeId)) ? (
      <b className={classes['wrong']}>{text}</b>
    ) : (
      text
    );
  const number = (
    label: string,
    read: (report: SystemNodeReport) => string,
    names: readonly string[] = [],
  ): PlainColumn<SystemNode> => ({
    label,
    isNumber: true,
    show: node => (node.report === null ? never : mark(node, names, read(node.report))),
  });
  const { number: count } = formats;
  const span = (ms: number): string => formatSpan(ms, formats);
  return [
    {
      label: texts.node,
      show: ({ nodeId }) => (
        <>
          <code>{nodeId}</code>
          {nodeId === asked && <div className={classes['small']}>{texts.asked}</div>}
        </>
      ),
    },
    { label: texts.state, show: node => <NodeState node={node} /> },
    { label: texts.release, show: ({ release }) => release },
    number(texts.up, ({ startedAt }) => formats.duration(Date.parse(at) - Date.parse(startedAt))),
    number(texts.lease, ({ leasedMs }) => (leasedMs === null ? never : span(leasedMs))),
    number(texts.shards, ({ shards }) => count(shards)),
    number(texts.delay, ({ eventLoopP99Seconds }) => span(eventLoopP99Seconds * 1_000), ['SkeinNodeBusy']),
    number(texts.memory, ({ memoryBytes }) => formats.size(memoryBytes)),
    number(texts.commits, ({ commits }) => count(commits)),
    number(texts.commitP99, ({ commitP99Ms }) => (commitP99Ms === null ? never : span(commitP99Ms)), [
      'SkeinCommitsSlow',
    ]),
    number(texts.refused, ({ commitsRefused }) => count(commitsRefused), ['SkeinCommitsRefused']),
    number(texts.deepest, ({ deepestMailbox }) => count(deepestMailbox), ['SkeinOverloaded']),
    number(texts.commands, ({ commands }) => count(commands)),
    number(texts.actors, ({ actors }) => count(actors)),
    number(
      texts.tasks,
      ({ tasksRunning, tasksWaiting }) => `${count(tasksRunning)} / ${count(tasksWaiting)}`,
    ),
    number(texts.asks, ({ asksOutgoing }) => count(asksOutgoing)),
  ];
}

const colors = {
  ok: 'green',
  starting: 'yellow',
  joining: 'yellow',
  draining: 'yellow',
  failed: 'red',
  silent: 'gray',
} as const;

/** Of a node that says nothing what the others know. */
function findState({ state, report }: SystemNode): keyof typeof colors {
  if (report !== null) return report.status === 'ok' && state === 'joining' ? 'joining' : report.status;
  return state === 'draining' ? 'draining' : 'silent';
}

function NodeState({ node }: { readonly node: SystemNode }) {
  const texts = useSystemTexts().nodes;
  const state = findState(node);
  const failed = node.report?.failedChecks ?? [];
  return (
    <>
      <Badge className={classes['state']} color={colors[state]} data-state={state}>
        {texts.states[state]}
      </Badge>
      {failed.length > 0 && <div className={classes['small']}>{texts.failedChecks(failed.join(', '))}</div>}
    </>
  );
}
