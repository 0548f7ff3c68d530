/** Who the participant is, what is known of the conversation, and their other ones. */
import { ActionIcon } from '@mantine/core';
import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { toShownName } from '../../kit/shown-name.ts';
import type { Thread } from '../../sdk/index.ts';
import { useTexts } from '../texts/index.ts';
import { useFormats } from '../../kit/use-formats.ts';
import { type Names } from '../thread/names.tsx';
import type { OpenThread } from '../thread/open-thread.ts';
import type { ThreadState } from '../thread/thread-state.ts';
import type { Action } from '../../kit/use-action.ts';
import { CustomFields } from './custom-fields.tsx';
import { NameField } from './name-field.tsx';
import { OtherThreads } from './other-threads.tsx';
import { Tags } from './tags.tsx';
import classes from './participant.module.css';

interface ParticipantPanelProps {
  readonly open: OpenThread;
  readonly state: ThreadState;
  readonly thread: Thread;
  readonly names: Names;
  readonly participantName: string;
  readonly action: Action;
  /** How often the operator wanted to write a tag. */
  readonly tagging: number;
  readonly onClose: () => void;
}

export default function ParticipantPanel(props: ParticipantPanelProps) {
  const { open, thread, names, participantName, action, tagging, onClose } = props;
  const texts = useTexts().thread;
  const formats = useFormats();
  const labels = texts.participant;
  const { participant, metadata = {} } = thread;
  const mayChange = names.mayAnswer;
  const reference = participant?.externalParticipantRef ?? thread.externalRef;
  return (
    <aside className={classes['panel']} aria-label={labels.label}>
      <ActionIcon className={classes['close']} size="sm" aria-label={labels.close} onClick={onClose}>
        <X size={14} />
      </ActionIcon>
      <NameField {...{ open, thread, action, mayChange }} name={participantName} />
      <dl className={classes['facts']}>
        {reference != null && <Fact name={labels.reference}>{reference}</Fact>}
        {participant?.locale != null && <Fact name={labels.language}>{participant.locale}</Fact>}
        <Fact name={labels.assignee}>{names.person(thread.assigneeUserId)}</Fact>
        <Fact name={labels.mode}>
          {thread.agentMode == null ? labels.agentDefault : texts.header.modes[thread.agentMode]}
        </Fact>
        <Fact name={labels.created}>{formats.dateTime(thread.createdAt)}</Fact>
        <Fact name={labels.lastMessage}>{formats.dateTime(thread.lastMessageAt)}</Fact>
      </dl>
      <Section title={labels.tags}>
        <Tags {...{ open, thread, action, tagging, mayChange }} />
      </Section>
      <Section title={labels.threads}>
        <OtherThreads thread={thread} reference={reference ?? undefined} />
      </Section>
      <Section title={labels.customFields}>
        <CustomFields {...{ open, thread, mayChange }} />
      </Section>
      <FieldsSection title={labels.attributes} fields={withoutPicture(participant?.attributes ?? {})} />
      <FieldsSection title={labels.metadata} fields={metadata} />
    </aside>
  );
}

function Section({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: string }) {
  const shown = toShownName(children);
  return (
    <>
      <dt>{toShownName(name)}</dt>
      <dd title={shown}>
        <bdi>{shown}</bdi>
      </dd>
    </>
  );
}

interface FieldsSectionProps {
  readonly title: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** It is shown, and not its id. */
function withoutPicture({ picture: _picture, ...others }: Readonly<Record<string, unknown>>) {
  return others;
}

/** Nothing where there are none. */
function FieldsSection({ title, fields }: FieldsSectionProps) {
  const entries = Object.entries(fields);
  if (entries.length === 0) return null;
  return (
    <Section title={title}>
      <dl className={classes['facts']}>
        {entries.map(([name, value]) => (
          <Fact key={name} name={name}>
            {typeof value === 'string' ? value : JSON.stringify(value)}
          </Fact>
        ))}
      </dl>
    </Section>
  );
}
