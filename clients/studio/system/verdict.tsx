/** What is sick, the worst first, with what to do about it; or that everything is well. */
import { Anchor, Badge } from '@mantine/core';
import { CircleCheck, Siren, TriangleAlert } from 'lucide-react';
import { useFormats } from '../../kit/use-formats.ts';
import type { System, SystemFault } from '../../sdk/index.ts';
import classes from './system.module.css';
import { formatFigure } from './units.ts';
import { useSystemTexts } from './use-texts.ts';

export function Verdict({ system }: { readonly system: System }) {
  const texts = useSystemTexts().verdict;
  const formats = useFormats();
  const { faults, nodes, shards } = system;
  const isWell = faults.length === 0;
  const worst = isWell ? 'well' : faults[0]?.severity;
  return (
    <section className={classes['verdict']} data-verdict={worst} aria-label={texts.title}>
      {/* It is told when it changes, and not each time that the page is renewed. */}
      <div className={classes['verdictHead']} role="status">
        {isWell ? <CircleCheck size={22} aria-hidden /> : <TriangleAlert size={22} aria-hidden />}
        <h2>{isWell ? texts.well : texts.sick(faults.length)}</h2>
      </div>
      {isWell && (
        <p className={classes['detail']}>
          {texts.wellDetail(texts.nodes(nodes.length), texts.shards(formats.number(shards.count)))}
        </p>
      )}
      {!isWell && (
        <ul className={classes['faults']}>
          {faults.map(fault => (
            <Fault key={fault.name} fault={fault} />
          ))}
        </ul>
      )}
    </section>
  );
}

function Fault({ fault }: { readonly fault: SystemFault }) {
  const { faults, verdict: texts } = useSystemTexts();
  const formats = useFormats();
  const { name, severity, nodeIds } = fault;
  // A page that was opened before the nodes were upgraded does not know the faults that came.
  const text = name in faults ? faults[name] : undefined;
  return (
    <li className={classes['fault']} data-severity={severity}>
      <div className={classes['faultHead']}>
        <h3>{text?.title ?? name}</h3>
        <Badge
          color={severity === 'page' ? 'red' : 'yellow'}
          leftSection={severity === 'page' ? <Siren size={12} aria-hidden /> : undefined}
        >
          {severity === 'page' ? texts.page : texts.ticket}
        </Badge>
      </div>
      <p>
        <b>{nodeIds.length === 0 ? texts.whole : texts.onNodes(nodeIds.join(', '))}</b>:{' '}
        {text?.figure(formatFigure(fault, formats))}
      </p>
      <p>
        {text?.todo}{' '}
        <Anchor
          inherit
          underline="always"
          href={`/docs/runbook#${name.toLowerCase()}`}
          target="_blank"
          rel="noreferrer"
          aria-label={texts.runbookOf(name)}
        >
          {texts.runbook}
        </Anchor>
      </p>
    </li>
  );
}
