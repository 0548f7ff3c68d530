/** What a template asks for, and how it will read. */
import { Button, Group, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { ChatappTemplate } from '../../sdk/index.ts';
import { useTexts } from '../texts/index.ts';
import { useConversing } from '../thread/conversations-context.tsx';
import {
  fillButton,
  fillText,
  isFileAddress,
  isFilled,
  listButtons,
  listFields,
  type TemplateField,
  type TemplateValues,
  toComponents,
  toFieldKey,
} from './templates.ts';
import classes from './templates.module.css';

/** Code points, as the provider takes of one parameter. */
const maxParameterLength = 1_024;
const maxAddressLength = 2_048;

interface TemplateFormProps {
  readonly template: ChatappTemplate;
  readonly threadId: string;
  readonly channelId: string;
  readonly values: TemplateValues;
  /** Whether the operator has come to write in it. */
  readonly isAsked: boolean;
  readonly onChange: (values: TemplateValues) => void;
  readonly onBack: () => void;
  readonly onSent: () => void;
}

export function TemplateForm(props: TemplateFormProps) {
  const { template, threadId, channelId, values, isAsked, onChange, onBack, onSent } = props;
  const texts = useTexts().thread.templates;
  const { outbox } = useConversing().conversations;
  const fields = listFields(template);
  const body = fillText(template, values);
  return (
    <form
      className={classes['form']}
      onSubmit={event => {
        event.preventDefault();
        const { name, language } = template;
        const components = toComponents(template, values);
        outbox.add(threadId, { kind: 'template', channelId, name, language, components, body });
        onSent();
      }}
    >
      <div className={classes['fields']}>
        {fields.map((field, index) => (
          <Field
            key={toFieldKey(field)}
            field={field}
            takesFocus={isAsked && index === 0}
            value={values[toFieldKey(field)] ?? ''}
            onChange={value => onChange({ ...values, [toFieldKey(field)]: value })}
          />
        ))}
      </div>
      <Text size="xs" c="dimmed">
        {texts.preview}
      </Text>
      <div className={classes['preview']} dir="auto">
        {body}
      </div>
      <Buttons template={template} values={values} />
      <Group justify="space-between">
        <Button variant="subtle" color="gray" onClick={onBack}>
          {texts.back}
        </Button>
        <Button
          type="submit"
          autoFocus={isAsked && fields.length === 0}
          disabled={!fields.every(field => isFilled(field, values))}
        >
          {texts.send}
        </Button>
      </Group>
    </form>
  );
}

interface FieldProps {
  readonly field: TemplateField;
  readonly takesFocus: boolean;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function Field({ field, takesFocus, value, onChange }: FieldProps) {
  const texts = useTexts().thread.templates;
  const [wasLeft, setWasLeft] = useState(false);
  const common = {
    size: 'xs',
    required: true,
    autoFocus: takesFocus,
    value,
    onChange: (event: { readonly currentTarget: { readonly value: string } }) =>
      onChange(event.currentTarget.value),
  } as const;
  if (field.is !== 'file')
    return <TextInput {...common} label={toLabel(field, texts)} dir="auto" maxLength={maxParameterLength} />;
  const isWrong = wasLeft && value.trim() !== '' && !isFileAddress(value.trim());
  return (
    <TextInput
      {...common}
      type="url"
      placeholder="https://"
      label={texts.file[field.format]}
      description={texts.fileHint}
      maxLength={maxAddressLength}
      error={isWrong && texts.noFileAddress}
      onBlur={() => setWasLeft(true)}
    />
  );
}

function toLabel(
  field: Exclude<TemplateField, { readonly is: 'file' }>,
  texts: ReturnType<typeof useTexts>['thread']['templates'],
): string {
  if (field.is === 'text')
    return field.component === 'header' ? texts.ofHeader(field.name) : texts.parameter(field.name);
  return texts[field.is](field.label);
}

/** As the participant will see them, and where they lead. */
function Buttons({
  template,
  values,
}: {
  readonly template: ChatappTemplate;
  readonly values: TemplateValues;
}) {
  const texts = useTexts().thread.templates;
  const buttons = listButtons(template);
  if (buttons.length === 0) return null;
  return (
    <ul className={classes['buttons']} aria-label={texts.buttons}>
      {buttons.map((button, index) => (
        <li key={index}>
          <bdi>{button.text ?? button.type}</bdi> <small>{fillButton(button, index, values)}</small>
        </li>
      ))}
    </ul>
  );
}
