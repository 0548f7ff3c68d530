/** The start of an environment: what is to be done until it works, with the next step ready to be taken. */
import { Button, Progress as Bar, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Check, Circle } from 'lucide-react';
import { useState } from 'react';
import { PageLink } from '../../kit/account/account-page.tsx';
import { useKitTexts } from '../../kit/texts/index.ts';
import { CreateChannel } from '../channels/create-channel.tsx';
import { TryMessage } from '../channels/try-message.tsx';
import { CreateKey } from '../keys/create-key.tsx';
import { ErrorNote } from '../parts/error-note.tsx';
import { Page } from '../parts/page.tsx';
import { useTenant } from '../shell/tenant.tsx';
import { useTexts } from '../texts/index.ts';
import { CreateWebhook } from '../webhooks/create-webhook.tsx';
import { isAllDone, stepNames, type StepName, useProgress } from './checklist.ts';
import classes from './home.module.css';
import { VerifyStep } from './verify-step.tsx';

export function Home() {
  const texts = useTexts().home;
  const { loading } = useKitTexts().shell;
  const { projectName, environmentName, mayWrite } = useTenant();
  const { data: progress, error } = useProgress();
  const [opened, setOpened] = useState<DialogName>();
  const done = progress === undefined ? 0 : stepNames.filter(name => progress[name]).length;
  const next = progress === undefined ? undefined : stepNames.find(name => !progress[name]);
  return (
    <Page title={`${projectName} · ${environmentName}`} about={texts.about}>
      {error !== null && <ErrorNote error={error} />}
      {progress === undefined && error === null && <Text c="dimmed">{loading}</Text>}
      {progress !== undefined && (
        <section aria-label={texts.checklist}>
          <div className={classes['head']}>
            <h2>{isAllDone(progress) ? texts.allDone : texts.checklist}</h2>
            <span>{texts.done(done, stepNames.length)}</span>
          </div>
          <Bar
            value={(done / stepNames.length) * 100}
            size="sm"
            aria-label={texts.done(done, stepNames.length)}
          />
          <ol className={classes['steps']}>
            {stepNames.map(name => (
              <li key={name} className={classes['step']} data-done={progress[name] || undefined}>
                {progress[name] ? (
                  <Check size={18} aria-label={texts.stepDone} />
                ) : (
                  <Circle size={18} aria-label={texts.stepOpen} />
                )}
                <div>
                  <b>{texts.steps[name].title}</b>
                  <p>{texts.steps[name].about}</p>
                  {name === 'verify'
                    ? !progress.verify && <VerifyStep />
                    : mayWrite && name === next && <NextStep name={name} onOpen={setOpened} />}
                </div>
              </li>
            ))}
          </ol>
        </section>
      )}
      {opened !== undefined && <StepDialog name={opened} onClose={() => setOpened(undefined)} />}
    </Page>
  );
}

/** Steps that are done in a dialog. */
const dialogs = ['channel', 'key', 'webhook'] as const;
type DialogName = (typeof dialogs)[number];
const isDialog = (name: StepName): name is DialogName => dialogs.some(each => each === name);

interface NextStepProps {
  readonly name: Exclude<StepName, 'verify'>;
  readonly onOpen: (dialog: DialogName) => void;
}

function NextStep({ name, onOpen }: NextStepProps) {
  const texts = useTexts().home;
  const look = useLook();
  if (isDialog(name)) {
    return (
      <Button size="sm" onClick={() => onOpen(name)}>
        {texts.steps[name].action}
      </Button>
    );
  }
  return name === 'message' ? <FirstMessage onArrived={look} /> : <FirstDelivery />;
}

/** Beside the list: what is shown once stays until its reader closes it, also when its step is done meanwhile. */
function StepDialog({ name, onClose }: { readonly name: DialogName; readonly onClose: () => void }) {
  const look = useLook();
  switch (name) {
    case 'channel':
      return <CreateChannel onCreated={look} onClose={onClose} />;
    case 'key':
      return <CreateKey onCreated={look} onClose={onClose} />;
    case 'webhook':
      return <CreateWebhook onCreated={look} onClose={onClose} />;
    default:
      return name satisfies never;
  }
}

function useLook(): () => void {
  const queries = useQueryClient();
  const { environmentId } = useTenant();
  return () => void queries.invalidateQueries({ queryKey: ['progress', environmentId] });
}

/** On the first channel that can be tried. */
function FirstMessage({ onArrived }: { readonly onArrived: () => void }) {
  const texts = useTexts().home;
  const { client, projectId, environmentId } = useTenant();
  const { data: channels } = useQuery({
    queryKey: ['channels', environmentId, 'first'],
    queryFn: () => client.channels.list({ limit: 50 }).toArray(50),
  });
  const channel = channels?.find(({ kind }) => kind !== 'chatapp');
  if (channel !== undefined) return <TryMessage channel={channel} onArrived={onArrived} />;
  return (
    <PageLink to="/$projectId/$environmentId/channels" params={{ projectId, environmentId }}>
      {texts.toChannels}
    </PageLink>
  );
}

/** The first webhook, where its test is. */
function FirstDelivery() {
  const texts = useTexts().home;
  const { client, projectId, environmentId } = useTenant();
  const { data } = useQuery({
    queryKey: ['webhooks', environmentId, 'first'],
    queryFn: () => client.stitches.list({ limit: 1 }),
  });
  const stitchId = data?.data[0]?.stitchId;
  if (stitchId === undefined) return null;
  return (
    <Button
      size="sm"
      renderRoot={props => (
        <Link
          to="/$projectId/$environmentId/webhooks/$stitchId"
          params={{ projectId, environmentId, stitchId }}
          search={{}}
          {...props}
        />
      )}
    >
      {texts.steps.delivery.action}
    </Button>
  );
}
