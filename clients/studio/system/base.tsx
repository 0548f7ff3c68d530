/** What the nodes stand on: the database, NATS, and the pools to them and to other systems. */
import { useFormats } from '../../kit/use-formats.ts';
import type { System } from '../../sdk/index.ts';
import { Facts } from '../parts/facts.tsx';
import { Section } from '../parts/page.tsx';
import { PlainTable } from './plain-table.tsx';
import classes from './system.module.css';
import { formatSpan } from './units.ts';
import { useSystemTexts } from './use-texts.ts';

export function Base({ system }: { readonly system: System }) {
  const { base: texts, never } = useSystemTexts();
  const formats = useFormats();
  const { database, nats, nodes } = system;
  const { longestTransactionSeconds: longest } = database;
  const pools = nodes.flatMap(({ nodeId, report }) =>
    (report?.pools ?? []).map(pool => ({ ...pool, nodeId })),
  );
  /** Those that do nothing are left out, so that what waits is seen. */
  const used = pools.filter(({ busy, waiting }) => busy > 0 || waiting > 0);
  return (
    <Section title={texts.title}>
      <Facts
        facts={[
          [texts.database, database.version],
          [texts.roundTrip, formatSpan(database.roundTripMs, formats)],
          [
            texts.connections,
            `${formats.number(database.connections)} / ${formats.number(database.maxConnections)}`,
          ],
          [
            texts.locks,
            <span key="locks" className={database.waitingForLocks > 0 ? classes['wrong'] : undefined}>
              {formats.number(database.waitingForLocks)}
            </span>,
          ],
          [texts.transaction, longest === null ? never : formatSpan(longest * 1_000, formats)],
          [texts.nats, nats === null ? texts.standalone : nats.connected ? texts.connected : texts.away],
        ]}
      />
      {used.length > 0 && (
        <PlainTable
          label={texts.pools}
          rows={used}
          rowKey={({ nodeId, name }) => `${nodeId} ${name}`}
          columns={[
            { label: texts.pool, show: ({ name }) => <code>{name}</code> },
            { label: texts.node, show: ({ nodeId }) => <code>{nodeId}</code> },
            { label: texts.busy, isNumber: true, show: ({ busy }) => formats.number(busy) },
            {
              label: texts.waiting,
              isNumber: true,
              show: ({ waiting }) =>
                waiting > 0 ? <b className={classes['wrong']}>{formats.number(waiting)}</b> : '0',
            },
          ]}
        />
      )}
    </Section>
  );
}
