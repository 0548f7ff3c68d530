/**
 * Chooses a template, fills in what it asks for, and sends it. It stands between the messages and the reply, where the conversation can be read
 * beside it, and takes the keys of nothing else: also where it has opened by itself, one goes on through the list. The template that was chosen
 * is kept with what was filled in, until it is sent or the operator goes back to choose another.
 */
import { CloseButton, Skeleton, Text, TextInput, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ChatappTemplate } from '../../sdk/index.ts';
import { useTexts } from '../texts/index.ts';
import { useClient, useConversing } from '../thread/conversations-context.tsx';
import type { KeptTemplate } from './drafts.ts';
import { TemplateForm } from './template-form.tsx';
import { fillText, findObstacle } from './templates.ts';
import { useDraft } from './use-draft.ts';
import classes from './templates.module.css';

interface TemplatePickerProps {
  readonly threadId: string;
  readonly channelId: string;
  /** Whether the operator has asked for it, who wants to write in it then. */
  readonly isAsked: boolean;
  readonly onClose: () => void;
  /** The operator has begun to fill one in: it stays, whatever happens to the conversation. */
  readonly onBegun: () => void;
}

export default function TemplatePicker(props: TemplatePickerProps) {
  const { threadId, channelId, isAsked, onClose, onBegun } = props;
  const texts = useTexts().thread.templates;
  const { drafts } = useConversing();
  const { template: kept } = useDraft(threadId);
  const keep = (template: KeptTemplate | undefined): void => drafts.update(threadId, { template });
  /** The one that the operator has gone back from: its values are there, should they choose it again. */
  const [left, setLeft] = useState<KeptTemplate>();
  const [wasChosen, setWasChosen] = useState(false);
  const { templates, isError } = useApproved(channelId);
  const chosen = templates?.find(template => template.id === kept?.templateId && isOffered(template));
  const choose = ({ id }: ChatappTemplate): void => {
    keep({ channelId, templateId: id, values: left?.templateId === id ? left.values : {} });
    setWasChosen(true);
    onBegun();
  };
  const close = (): void => {
    // It cannot be sent any more, or is not of this channel.
    if (kept !== undefined && templates !== undefined && chosen === undefined) keep(undefined);
    onClose();
  };
  return (
    <section
      className={classes['picker']}
      aria-label={texts.title}
      onKeyDown={event => {
        if (event.key !== 'Escape' || event.defaultPrevented) return;
        event.preventDefault();
        close();
      }}
    >
      <header>
        <h2>{chosen === undefined ? texts.title : chosen.name}</h2>
        <CloseButton size="sm" aria-label={texts.close} onClick={close} />
      </header>
      {chosen === undefined || kept === undefined ? (
        <TemplateList
          templates={templates}
          isError={isError}
          isAsked={isAsked || wasChosen}
          onChoose={choose}
        />
      ) : (
        <TemplateForm
          template={chosen}
          threadId={threadId}
          channelId={channelId}
          values={kept.values}
          isAsked={isAsked || wasChosen}
          onChange={values => keep({ ...kept, values })}
          onBack={() => {
            setLeft(kept);
            setWasChosen(true);
            keep(undefined);
          }}
          onSent={() => {
            keep(undefined);
            onClose();
          }}
        />
      )}
    </section>
  );
}

const isOffered = (template: ChatappTemplate): boolean => findObstacle(template) === undefined;

/** Undefined until they are read. */
function useApproved(channelId: string) {
  const client = useClient();
  const { data, isError } = useQuery({
    queryKey: ['templates', channelId],
    queryFn: () => client.chatapp.listTemplates(channelId, { limit: 100 }).toArray(300),
  });
  return { templates: data?.filter(({ status }) => status === 'APPROVED'), isError };
}

interface TemplateListProps {
  readonly templates: readonly ChatappTemplate[] | undefined;
  readonly isError: boolean;
  readonly isAsked: boolean;
  readonly onChoose: (template: ChatappTemplate) => void;
}

function TemplateList({ templates, isError, isAsked, onChoose }: TemplateListProps) {
  const texts = useTexts().thread.templates;
  const [search, setSearch] = useState('');
  const wanted = search.trim().toLocaleLowerCase();
  const found = templates?.filter(template =>
    `${template.name} ${fillText(template, {})}`.toLocaleLowerCase().includes(wanted),
  );
  return (
    <>
      {(templates?.length ?? 0) > 0 && (
        <TextInput
          size="xs"
          aria-label={texts.search}
          placeholder={texts.search}
          // What opens by itself takes nobody's keys.
          autoFocus={isAsked}
          value={search}
          onChange={event => setSearch(event.currentTarget.value)}
        />
      )}
      {isError && (
        <Text size="sm" role="alert">
          {texts.failed}
        </Text>
      )}
      {templates === undefined && !isError && <Skeleton h={64} />}
      {found?.length === 0 && (
        <Text size="sm" c="dimmed" role="status">
          {templates?.length === 0 ? texts.none : texts.noneFound}
        </Text>
      )}
      {found?.map(template => (
        <Offered key={template.id} template={template} onChoose={onChoose} />
      ))}
    </>
  );
}

function Offered({
  template,
  onChoose,
}: Pick<TemplateListProps, 'onChoose'> & { template: ChatappTemplate }) {
  const { notFromHere } = useTexts().thread.templates;
  const obstacle = findObstacle(template);
  const said = (
    <>
      <b>{template.name}</b> <small>{template.language}</small>
      <p dir="auto">{fillText(template, {})}</p>
    </>
  );
  if (obstacle === undefined)
    return (
      <UnstyledButton className={classes['template']} onClick={() => onChoose(template)}>
        {said}
      </UnstyledButton>
    );
  return (
    <div className={classes['template']}>
      {said}
      <p className={classes['obstacle']}>{notFromHere[obstacle.part](obstacle.kind)}</p>
    </div>
  );
}
