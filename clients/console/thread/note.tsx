/** A note among the messages, which its author may change or delete. */
import { ActionIcon, Button, Textarea } from '@mantine/core';
import { Pencil, StickyNote, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { ThreadNote } from '../../sdk/index.ts';
import { findMentioned } from '../composer/mentions.ts';
import { useWrittenText } from '../composer/use-draft.ts';
import { useTexts } from '../texts/index.ts';
import { useClient, useConversing } from './conversations-context.tsx';
import { LinkedText } from './linked-text.tsx';
import { isComposing } from '../../kit/is-composing.ts';
import { useFormats } from '../../kit/use-formats.ts';
import { type Names } from './names.tsx';
import type { OpenThread } from './open-thread.ts';
import { useAction, type Action } from '../../kit/use-action.ts';
import bubbles from './bubble.module.css';
import classes from './note.module.css';

interface NoteProps {
  readonly note: ThreadNote;
  readonly open: OpenThread;
  readonly names: Names;
}

type Mode = 'shown' | 'editing' | 'deleting';

export function Note(props: NoteProps) {
  const { note, names } = props;
  const texts = useTexts().thread.note;
  const { userId } = useConversing();
  const [edited, setEdited] = useWrittenText(note.threadNoteId, 'note');
  // What was begun stays when the note has been out of view.
  const [mode, setMode] = useState<Mode>(edited === '' ? 'shown' : 'editing');
  const action = useAction();
  const leave = (): void => {
    setEdited('');
    action.dismiss();
    setMode('shown');
  };
  const begin = (chosen: Mode): void => {
    if (chosen === 'editing') setEdited(note.body);
    setMode(chosen);
  };
  const author = names.person(note.authorUserId);
  const shared = { ...props, action, onDone: leave };
  return (
    <article
      className={bubbles['line']}
      data-direction="outbound"
      data-first
      aria-label={`${texts.label}, ${author}`}
    >
      <div className={bubbles['column']}>
        <div className={bubbles['author']}>
          <StickyNote size={11} aria-hidden />
          <span>{texts.label}</span>
          <b>
            <bdi>{author}</bdi>
          </b>
        </div>
        <div className={`${bubbles['bubble']} ${bubbles['note']}`} data-mode={mode}>
          {mode === 'editing' ? (
            <NoteEditor {...shared} text={edited} onChange={setEdited} />
          ) : (
            <>
              <LinkedText text={note.body} mentions={note.mentions?.map(names.person)} />
              <NoteFoot note={note} />
            </>
          )}
          {mode === 'deleting' && <Deletion {...shared} />}
          {action.problem !== undefined && (
            <p className={classes['problem']} role="alert">
              {action.problem}
            </p>
          )}
        </div>
      </div>
      {names.mayAnswer && note.authorUserId === userId && mode === 'shown' && <NoteActions onBegin={begin} />}
    </article>
  );
}

function NoteFoot({ note }: Pick<NoteProps, 'note'>) {
  const texts = useTexts().thread.note;
  const formats = useFormats();
  return (
    <div className={bubbles['foot']}>
      {note.updatedAt !== note.createdAt && (
        <span title={formats.dateTime(note.updatedAt)}>{texts.edited}</span>
      )}
      <time dateTime={note.createdAt} title={formats.dateTime(note.createdAt)}>
        {formats.time(note.createdAt)}
      </time>
    </div>
  );
}

function NoteActions({ onBegin }: { readonly onBegin: (mode: Mode) => void }) {
  const texts = useTexts().thread.note;
  return (
    <div className={bubbles['actions']}>
      <ActionIcon size="sm" aria-label={texts.edit} title={texts.edit} onClick={() => onBegin('editing')}>
        <Pencil size={13} />
      </ActionIcon>
      <ActionIcon
        size="sm"
        aria-label={texts.delete}
        title={texts.delete}
        onClick={() => onBegin('deleting')}
      >
        <Trash2 size={13} />
      </ActionIcon>
    </div>
  );
}

interface WorkProps extends NoteProps {
  readonly action: Action;
  readonly onDone: () => void;
}

/** Code points, as the contract has it. */
const maxLength = 4_000;

function NoteEditor({
  note,
  open,
  names,
  action,
  onDone,
  text,
  onChange,
}: WorkProps & { readonly text: string; readonly onChange: (text: string) => void }) {
  const texts = useTexts().thread;
  const client = useClient();
  const over = Array.from(text).length - maxLength;
  const canSave = text.trim() !== '' && over <= 0 && !action.isRunning;
  const save = async (): Promise<void> => {
    if (!canSave) return;
    const mentions = [...findMentioned(text, names.colleagues, note.mentions ?? [])];
    const isSaved = await action.run(async () =>
      open.addNote(await client.notes.update(open.threadId, note.threadNoteId, { body: text, mentions })),
    );
    if (isSaved) onDone();
  };
  return (
    <form
      className={classes['form']}
      onSubmit={event => {
        event.preventDefault();
        void save();
      }}
    >
      <Textarea
        size="xs"
        aria-label={texts.note.edit}
        error={over > 0 && texts.composer.tooLong(over, String(over))}
        autosize
        autoFocus
        minRows={2}
        maxRows={10}
        dir="auto"
        value={text}
        onChange={event => onChange(event.currentTarget.value)}
        onKeyDown={event => {
          if (isComposing(event)) return;
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void save();
        }}
      />
      <div className={classes['decisions']}>
        <Button type="submit" size="compact-xs" disabled={!canSave} loading={action.isRunning}>
          {texts.composer.saveNote}
        </Button>
        <Button variant="default" size="compact-xs" onClick={onDone}>
          {texts.participant.cancel}
        </Button>
      </div>
    </form>
  );
}

function Deletion({ note, open, action, onDone }: WorkProps) {
  const texts = useTexts().thread.note;
  const client = useClient();
  const remove = async (): Promise<void> => {
    const isDone = await action.run(async () => {
      await client.notes.delete(open.threadId, note.threadNoteId);
      open.removeNote(note.threadNoteId);
    });
    if (isDone) onDone();
  };
  return (
    <div className={classes['decisions']}>
      <Button
        size="compact-xs"
        color="red.8"
        autoFocus
        loading={action.isRunning}
        onClick={() => void remove()}
      >
        {texts.confirmDelete}
      </Button>
      <Button variant="default" size="compact-xs" onClick={onDone}>
        {texts.keep}
      </Button>
    </div>
  );
}
