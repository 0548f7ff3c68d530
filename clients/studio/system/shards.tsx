/** Who owns what, and what has changed its owner. */
import { useFormats } from '../../kit/use-formats.ts';
import type { SystemMove, SystemShards } from '../../sdk/index.ts';
import { Facts } from '../parts/facts.tsx';
import { Section } from '../parts/page.tsx';
import { Time } from '../parts/time.tsx';
import { PlainTable } from './plain-table.tsx';
import classes from './system.module.css';
import { useSystemTexts } from './use-texts.ts';

export function Shards({ shards }: { readonly shards: SystemShards }) {
  const { shards: texts, never } = useSystemTexts();
  const formats = useFormats();
  const { count, vacant, moving, moves } = shards;
  const show = (nodeId: string | null) => (nodeId === null ? never : <code>{nodeId}</code>);
  return (
    <Section title={texts.title}>
      <Facts
        facts={[
          [texts.all, formats.number(count)],
          [
            texts.vacant,
            <span key="vacant" className={vacant > 0 ? classes['wrong'] : undefined}>
              {formats.number(vacant)}
            </span>,
          ],
        ]}
      />
      {moving.length > 0 && (
        <PlainTable
          label={texts.moving}
          rows={moving}
          rowKey={({ nodeId, shard }) => `${nodeId} ${shard}`}
          columns={[
            { label: texts.shard, show: ({ shard }) => formats.number(shard) },
            { label: texts.state, show: ({ state }) => texts.states[state] },
            { label: texts.by, show: ({ nodeId }) => show(nodeId) },
            { label: texts.owner, show: ({ ownerNodeId }) => show(ownerNodeId) },
            { label: texts.desired, show: ({ desiredNodeId }) => show(desiredNodeId) },
          ]}
        />
      )}
      {moves.length > 0 && (
        <>
          <h3 className={classes['sub']}>{texts.moves}</h3>
          <ul className={classes['moves']}>
            {moves.map(move => (
              <Move key={`${move.cause} ${move.fromNodeId} ${move.toNodeId}`} move={move} />
            ))}
          </ul>
        </>
      )}
      {moves.length === 0 && moving.length === 0 && <p className={classes['note']}>{texts.none}</p>}
    </Section>
  );
}

function Move({ move }: { readonly move: SystemMove }) {
  const texts = useSystemTexts().shards;
  const { cause, shards, toNodeId, fromNodeId, at } = move;
  return (
    <li>
      <Time at={at} isExact /> {texts[cause](shards, toNodeId, fromNodeId ?? texts.somebody)}
    </li>
  );
}
