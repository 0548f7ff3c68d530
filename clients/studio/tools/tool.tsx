/** One tool: tried with arguments, changed, given a new secret, switched off. */
import { Button, Group, Stack } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { PageLink } from '../../kit/account/account-page.tsx';
import { useAction } from '../../kit/use-action.ts';
import type { Tool } from '../../sdk/index.ts';
import { sendChanges } from '../parts/changed-fields.ts';
import { ErrorNote } from '../parts/error-note.tsx';
import { Facts } from '../parts/facts.tsx';
import { Page, Section } from '../parts/page.tsx';
import { PagePending } from '../parts/page-pending.tsx';
import { RotateSecret } from '../parts/rotate-secret.tsx';
import { State } from '../parts/state.tsx';
import { Time } from '../parts/time.tsx';
import { useSubmit } from '../parts/use-submit.ts';
import { useUnsaved } from '../parts/use-unsaved.ts';
import { useWriting } from '../parts/use-writing.ts';
import { useTenant } from '../shell/tenant.tsx';
import { useTexts } from '../texts/index.ts';
import { toToolBody, toToolFields } from './tool-fields.ts';
import { ToolForm } from './tool-form.tsx';
import { TryTool } from './try-tool.tsx';

export function ToolPage() {
  const texts = useTexts().tools;
  const { toolId } = useParams({ from: '/signed-in/$projectId/$environmentId/tools/$toolId' });
  const { client, projectId, environmentId, mayWrite } = useTenant();
  const { data: tool, error } = useQuery({
    queryKey: ['tools', environmentId, toolId],
    queryFn: () => client.tools.get(toolId),
  });
  const back = (
    <PageLink to="/$projectId/$environmentId/tools" params={{ projectId, environmentId }}>
      {texts.title}
    </PageLink>
  );
  if (tool === undefined) {
    return <PagePending back={back} error={error} missing={texts.missing} />;
  }
  const { name, description, status, method, url, updatedAt } = tool;
  return (
    <Page title={name} back={back} about={description} actions={mayWrite && <Actions tool={tool} />}>
      <Facts
        facts={[
          [texts.status, <State key="status" of={status} label={texts.states[status]} />],
          [texts.url, `${method} ${url ?? '–'}`],
          [texts.changed, <Time key="changed" at={updatedAt} />],
        ]}
      />
      {mayWrite && (
        <>
          <Section title={texts.tryTitle}>
            <TryTool tool={tool} />
          </Section>
          <Section title={texts.edit}>
            <EditTool key={toolId} tool={tool} />
          </Section>
        </>
      )}
    </Page>
  );
}

function Actions({ tool: { toolId, name, status } }: { readonly tool: Tool }) {
  const texts = useTexts().tools;
  const { client, environmentId } = useTenant();
  const queries = useQueryClient();
  const action = useAction();
  const [isRotating, setRotating] = useState(false);
  const toggle = (): Promise<boolean> =>
    action.run(async () => {
      await client.tools.update(toolId, { status: status === 'disabled' ? 'active' : 'disabled' });
      await queries.invalidateQueries({ queryKey: ['tools', environmentId] });
    });
  return (
    <>
      <Button variant="default" onClick={() => setRotating(true)}>
        {texts.rotate}
      </Button>
      <Button variant="default" loading={action.isRunning} onClick={() => void toggle()}>
        {status === 'disabled' ? texts.enable : texts.disable}
      </Button>
      <ErrorNote error={action.error} />
      {isRotating && (
        <RotateSecret
          title={texts.rotateTitle(name)}
          hint={texts.rotateHint}
          about={texts.secretOnce}
          rotate={async gracePeriodSeconds => ({
            secret: (await client.tools.rotateSecret(toolId, { gracePeriodSeconds })).signingSecret,
          })}
          onRotated={() => undefined}
          onClose={() => setRotating(false)}
        />
      )}
    </>
  );
}

function EditTool({ tool }: { readonly tool: Tool }) {
  const texts = useTexts().tools;
  const { client, environmentId } = useTenant();
  const queries = useQueryClient();
  const { begun, written, round, isWritten, change, save } = useWriting(toToolFields(tool), tool.updatedAt);
  const { isRunning, error, submit } = useSubmit(async () => {
    const changed = await sendChanges(toToolBody(begun), toToolBody(written), changes =>
      client.tools.update(tool.toolId, changes),
    );
    const saved = changed ?? tool;
    save(toToolFields(saved), saved.updatedAt);
    await queries.invalidateQueries({ queryKey: ['tools', environmentId] });
  });
  useUnsaved(isWritten && !isRunning);
  return (
    <form onSubmit={submit}>
      <Stack gap="md" maw={720}>
        <ToolForm key={round} fields={written} onChange={change} />
        {error !== undefined && <ErrorNote error={error} />}
        <Group>
          <Button type="submit" loading={isRunning}>
            {texts.save}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
