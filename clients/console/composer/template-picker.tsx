/** Chooses a template, fills in what it asks for, and sends it. */
import { Button, Group, Modal, Skeleton, Text, TextInput, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ChatappTemplate } from '../../sdk/index.ts';
import { useKitTexts } from '../../kit/texts/index.ts';
import { useTexts } from '../texts/index.ts';
import { useClient, useConversing } from '../thread/conversations-context.tsx';
import {
  fillBody,
  getBody,
  listParameters,
  toComponents,
  toValueKey,
  type TemplateValues,
} from './templates.ts';
import classes from './composer.module.css';

interface TemplatePickerProps {
  readonly threadId: string;
  readonly channelId: string;
  readonly onClose: () => void;
}

export default function TemplatePicker({ threadId, channelId, onClose }: TemplatePickerProps) {
  const texts = useTexts().thread;
  const { close } = useKitTexts().shell;
  const [chosen, setChosen] = useState<ChatappTemplate>();
  return (
    <Modal opened onClose={onClose} title={texts.templates.title} closeButtonProps={{ 'aria-label': close }}>
      {chosen === undefined ? (
        <TemplateList channelId={channelId} onChoose={setChosen} />
      ) : (
        <TemplateForm
          template={chosen}
          threadId={threadId}
          channelId={channelId}
          onBack={() => setChosen(undefined)}
          onSent={onClose}
        />
      )}
    </Modal>
  );
}

interface TemplateListProps {
  readonly channelId: string;
  readonly onChoose: (template: ChatappTemplate) => void;
}

function TemplateList({ channelId, onChoose }: TemplateListProps) {
  const texts = useTexts().thread.templates;
  const client = useClient();
  const [search, setSearch] = useState('');
  const { data: templates, isError } = useQuery({
    queryKey: ['templates', channelId],
    queryFn: () => client.chatapp.listTemplates(channelId, { limit: 100 }).toArray(300),
  });
  const wanted = search.toLocaleLowerCase();
  const found = templates?.filter(
    template =>
      template.status === 'APPROVED' &&
      `${template.name} ${getBody(template)}`.toLocaleLowerCase().includes(wanted),
  );
  return (
    <div className={classes['templates']}>
      <TextInput
        aria-label={texts.search}
        placeholder={texts.search}
        data-autofocus
        value={search}
        onChange={event => setSearch(event.currentTarget.value)}
      />
      {isError && <Text role="alert">{texts.failed}</Text>}
      {found === undefined && !isError && <Skeleton h={120} />}
      {found?.length === 0 && <Text c="dimmed">{texts.none}</Text>}
      {found?.map(template => (
        <UnstyledButton key={template.id} className={classes['template']} onClick={() => onChoose(template)}>
          <b>{template.name}</b> <small>{template.language}</small>
          <p dir="auto">{getBody(template)}</p>
        </UnstyledButton>
      ))}
    </div>
  );
}

interface TemplateFormProps {
  readonly template: ChatappTemplate;
  readonly threadId: string;
  readonly channelId: string;
  readonly onBack: () => void;
  readonly onSent: () => void;
}

function TemplateForm({ template, threadId, channelId, onBack, onSent }: TemplateFormProps) {
  const texts = useTexts().thread.templates;
  const { outbox } = useConversing().conversations;
  const [values, setValues] = useState<TemplateValues>({});
  const parameters = listParameters(template);
  const isFilled = parameters.every(each => (values[toValueKey(each)] ?? '').trim() !== '');
  const body = fillBody(template, values);
  return (
    <form
      className={classes['templates']}
      onSubmit={event => {
        event.preventDefault();
        const { name, language } = template;
        const components = toComponents(template, values);
        outbox.add(threadId, { kind: 'template', channelId, name, language, components, body });
        onSent();
      }}
    >
      {parameters.map(each => (
        <TextInput
          key={toValueKey(each)}
          label={texts.parameter(each.name)}
          required
          dir="auto"
          value={values[toValueKey(each)] ?? ''}
          onChange={event => setValues({ ...values, [toValueKey(each)]: event.currentTarget.value })}
        />
      ))}
      <Text size="xs" c="dimmed">
        {texts.preview}
      </Text>
      <div className={classes['preview']} dir="auto">
        {body}
      </div>
      <Group justify="space-between">
        <Button variant="subtle" color="gray" onClick={onBack}>
          {texts.back}
        </Button>
        <Button type="submit" disabled={!isFilled}>
          {texts.send}
        </Button>
      </Group>
    </form>
  );
}
