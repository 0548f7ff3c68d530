/** The custom fields of a thread. Each is changed for itself, so that colleagues who change others at once lose nothing. */
import { ActionIcon, Button, Group, Select, TextInput } from '@mantine/core';
import { Pencil, Plus, X } from 'lucide-react';
import { useState } from 'react';
import type { Thread } from '../../sdk/index.ts';
import { useTexts } from '../texts/index.ts';
import { useClient } from '../thread/conversations-context.tsx';
import type { OpenThread } from '../thread/open-thread.ts';
import { useAction } from '../../kit/use-action.ts';
import { type Field, type FieldKind, type FieldValue, getKind, listFields, parseValue } from './fields.ts';
import classes from './participant.module.css';

interface CustomFieldsProps {
  readonly open: OpenThread;
  readonly thread: Thread;
  readonly mayChange: boolean;
}

/** What is being edited; without a field, a new one. */
type Edited = { readonly field: Field | undefined } | undefined;

export function CustomFields({ open, thread, mayChange }: CustomFieldsProps) {
  const texts = useTexts().thread.participant;
  const client = useClient();
  const action = useAction();
  const [edited, setEdited] = useState<Edited>();
  const fields = listFields(thread.customFields ?? {});
  if (!mayChange && edited !== undefined) setEdited(undefined);
  const begin = (next: Edited): void => {
    action.dismiss();
    setEdited(next);
  };
  const write = async (name: string, value: FieldValue | null): Promise<void> => {
    const isDone = await action.run(async () =>
      open.takeThread(await client.threads.update(open.threadId, { customFields: { [name]: value } })),
    );
    if (isDone) setEdited(undefined);
  };
  const form = {
    fields,
    isRunning: action.isRunning,
    onSave: (name: string, value: FieldValue) => void write(name, value),
    onCancel: () => begin(undefined),
  };
  return (
    <div className={classes['fields']}>
      {fields.map(field =>
        edited?.field?.name === field.name ? (
          <FieldForm key={field.name} {...form} before={edited.field} />
        ) : (
          <FieldRow
            key={field.name}
            field={field}
            mayChange={mayChange}
            onEdit={() => begin({ field })}
            onRemove={() => void write(field.name, null)}
          />
        ),
      )}
      {edited !== undefined && !fields.some(({ name }) => name === edited.field?.name) && (
        <FieldForm {...form} before={edited.field} />
      )}
      {!mayChange && fields.length === 0 && <p className={classes['none']}>{texts.noFields}</p>}
      {mayChange && edited === undefined && (
        <Button
          className={classes['add']}
          variant="subtle"
          size="compact-xs"
          leftSection={<Plus size={12} aria-hidden />}
          onClick={() => begin({ field: undefined })}
        >
          {texts.addField}
        </Button>
      )}
      {action.problem !== undefined && (
        <p className={classes['problem']} role="alert">
          {action.problem}
        </p>
      )}
    </div>
  );
}

interface FieldRowProps {
  readonly field: Field;
  readonly mayChange: boolean;
  readonly onEdit: () => void;
  readonly onRemove: () => void;
}

function FieldRow({ field, mayChange, onEdit, onRemove }: FieldRowProps) {
  const texts = useTexts().thread.participant;
  const toText = useFieldText();
  const { name, value } = field;
  return (
    <div className={classes['field']}>
      <span title={name}>
        <bdi>{name}</bdi>
      </span>
      <span title={toText(value)}>
        <bdi>{toText(value)}</bdi>
      </span>
      {mayChange && (
        <>
          <ActionIcon size={16} aria-label={texts.editField(name)} onClick={onEdit}>
            <Pencil size={11} />
          </ActionIcon>
          <ActionIcon size={16} aria-label={texts.removeField(name)} onClick={onRemove}>
            <X size={12} />
          </ActionIcon>
        </>
      )}
    </div>
  );
}

function useFieldText(): (value: FieldValue) => string {
  const texts = useTexts().thread.participant;
  return value => (typeof value === 'boolean' ? texts.booleans[value ? 'true' : 'false'] : String(value));
}

interface FieldFormProps {
  readonly fields: readonly Field[];
  /** As it was when the editing began; undefined: it is new. */
  readonly before: Field | undefined;
  readonly isRunning: boolean;
  readonly onSave: (name: string, value: FieldValue) => void;
  readonly onCancel: () => void;
}

function FieldForm({ fields, before, isRunning, onSave, onCancel }: FieldFormProps) {
  const texts = useTexts().thread.participant;
  const [name, setName] = useState(before?.name ?? '');
  const [kind, setKind] = useState<FieldKind>(before === undefined ? 'text' : getKind(before.value));
  const [text, setText] = useState(before === undefined ? '' : String(before.value));
  const value = parseValue(kind, text);
  const isTaken = before === undefined && fields.some(field => field.name === name.trim());
  const canSave = name.trim() !== '' && !isTaken && value !== undefined && !isRunning;
  return (
    <form
      className={classes['editing']}
      onSubmit={event => {
        event.preventDefault();
        if (canSave) onSave(name.trim(), value);
      }}
      onKeyDown={event => event.key === 'Escape' && onCancel()}
    >
      {before === undefined && (
        <TextInput
          size="xs"
          label={texts.fieldName}
          autoFocus
          dir="auto"
          error={isTaken && texts.fieldTaken}
          value={name}
          onChange={event => setName(event.currentTarget.value)}
        />
      )}
      <Select
        size="xs"
        label={texts.fieldKind}
        allowDeselect={false}
        data={(['text', 'number', 'boolean'] as const).map(each => ({
          value: each,
          label: texts.fieldKinds[each],
        }))}
        value={kind}
        onChange={chosen => {
          setKind(chosen as FieldKind);
          if (chosen === 'boolean') setText('true');
        }}
      />
      <ValueInput label={before?.name ?? texts.fieldValue} kind={kind} text={text} onChange={setText} />
      {before !== undefined && <Overtaken before={before} fields={fields} />}
      <Group gap={6}>
        <Button type="submit" size="compact-xs" disabled={!canSave} loading={isRunning}>
          {texts.save}
        </Button>
        <Button variant="default" size="compact-xs" onClick={onCancel}>
          {texts.cancel}
        </Button>
      </Group>
    </form>
  );
}

interface ValueInputProps {
  readonly label: string;
  readonly kind: FieldKind;
  readonly text: string;
  readonly onChange: (text: string) => void;
}

function ValueInput({ label, kind, text, onChange }: ValueInputProps) {
  const texts = useTexts().thread.participant;
  if (kind === 'boolean')
    return (
      <Select
        size="xs"
        label={label}
        allowDeselect={false}
        data={(['true', 'false'] as const).map(each => ({ value: each, label: texts.booleans[each] }))}
        value={text}
        onChange={chosen => onChange(chosen ?? 'true')}
      />
    );
  return (
    <TextInput
      size="xs"
      label={label}
      type={kind === 'number' ? 'number' : 'text'}
      step="any"
      dir="auto"
      error={kind === 'number' && text !== '' && parseValue(kind, text) === undefined && texts.badNumber}
      value={text}
      onChange={event => onChange(event.currentTarget.value)}
    />
  );
}

/** Says that somebody else has changed the field since the editing began. Saving replaces what they wrote. */
function Overtaken({ before, fields }: { readonly before: Field; readonly fields: readonly Field[] }) {
  const texts = useTexts().thread.participant;
  const toText = useFieldText();
  const now = fields.find(({ name }) => name === before.name);
  if (now?.value === before.value) return null;
  return (
    <p className={classes['overtaken']} role="status">
      {now === undefined ? texts.fieldGone : texts.fieldChanged(toText(now.value))}
    </p>
  );
}
