/** One template, as its receiver reads it. */
import { Drawer, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useKitTexts } from '../../../kit/texts/index.ts';
import type { ChatappTemplate } from '../../../sdk/index.ts';
import { ErrorNote } from '../../parts/error-note.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Copyable } from '../../parts/secret.tsx';
import { useTenant } from '../../shell/tenant.tsx';
import { texts as all } from '../../texts/chatapp.ts';
import classes from './chatapp.module.css';
import { toParts } from './template-parts.ts';
import { findWord, TemplateState } from './template-state.tsx';

const texts = all.templates;

/** Of the account; more are not looked through for one that was linked to. */
const mostTemplates = 500;

interface TemplateDrawerProps {
  readonly channelId: string;
  readonly templateId: string;
  readonly onClose: () => void;
}

export function TemplateDrawer({ channelId, templateId, onClose }: TemplateDrawerProps) {
  const { close, loading } = useKitTexts().shell;
  const { client } = useTenant();
  const { data, error } = useQuery({
    queryKey: ['templates', channelId, 'all'],
    queryFn: () => client.chatapp.listTemplates(channelId, { limit: 100 }).toArray(mostTemplates),
  });
  const template = data?.find(({ id }) => id === templateId);
  return (
    <Drawer
      opened
      onClose={onClose}
      title={<bdi>{template?.name ?? texts.title}</bdi>}
      closeButtonProps={{ 'aria-label': close }}
    >
      <ErrorNote error={error} />
      {data === undefined && error === null && loading}
      {data !== undefined && template === undefined && <Text size="sm">{texts.missing}</Text>}
      {template !== undefined && <Content template={template} />}
    </Drawer>
  );
}

function Content({ template }: { readonly template: ChatappTemplate }) {
  const { name, language, category = '', status = '' } = template;
  const parts = toParts(template);
  const hint = findWord(texts.stateHints, status);
  return (
    <Stack gap="md">
      <Facts
        facts={[
          [texts.status, <TemplateState key="status" status={status} />],
          [texts.language, language],
          [texts.category, findWord(texts.categories, category) ?? (category || '–')],
          [texts.name, <Copyable key="name" label={texts.copyName} text={name} />],
        ]}
      />
      {hint !== undefined && <Text size="sm">{hint}</Text>}
      <section aria-label={texts.preview}>
        <Text fw={600} size="sm" mb={6}>
          {texts.preview}
        </Text>
        <div className={classes['bubble']} dir="auto">
          {parts.file !== undefined && (
            <div className={classes['file']}>
              {findWord(texts.file, parts.file) ?? texts.otherFile(parts.file)}
            </div>
          )}
          {parts.header !== '' && (
            <header role="presentation">
              <Filled text={parts.header} />
            </header>
          )}
          <Filled text={parts.body} />
          {parts.footer !== '' && <footer role="presentation">{parts.footer}</footer>}
        </div>
        {parts.buttons.length > 0 && (
          <ul className={classes['buttons']} aria-label={texts.buttons}>
            {parts.buttons.map(({ text, to }, index) => (
              <li key={index}>
                <bdi>{text}</bdi>
                {to !== '' && <small>{to}</small>}
              </li>
            ))}
          </ul>
        )}
        {parts.others.map(kind => (
          <Text key={kind} size="sm" c="dimmed" mt={6}>
            {texts.otherFile(kind.toLowerCase())}
          </Text>
        ))}
      </section>
      <section aria-label={texts.parameters}>
        <Text fw={600} size="sm" mb={6}>
          {texts.parameters}
        </Text>
        {parts.parameters.length === 0 ? (
          <Text size="sm">{texts.noParameters}</Text>
        ) : (
          <ul className={classes['list']}>
            {parts.parameters.map(({ name: parameter, example }, index) => (
              <li key={index}>
                <code>{`{{${parameter}}}`}</code> {example !== '' && texts.example(example)}
              </li>
            ))}
          </ul>
        )}
      </section>
    </Stack>
  );
}

/** With what is still to be filled in marked. */
function Filled({ text }: { readonly text: string }) {
  return text
    .split(/(\{\{\s*\w+\s*\}\})/)
    .map((part, index) => (index % 2 === 0 ? part : <mark key={index}>{part}</mark>));
}
