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

export function Home() {
  const texts = useTexts().home;
  const { loading } = useKitTexts().shell;
  const { projectName, environmentName, mayWrite } = useTenant();
  const { data: progress, error } = useProgress();
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
                  {mayWrite && name === next && <NextStep name={name} />}
                </div>
              </li>
            ))}
          </ol>
        </section>
      )}
    </Page>
  );
}

function NextStep({ name }: { readonly name: StepName }) {
  const texts = useTexts().home;
  const queries = useQueryClient();
  const { environmentId } = useTenant();
  const [isOpen, setOpen] = useState(false);
  const look = (): void => void queries.invalidateQueries({ queryKey: ['progress', environmentId] });
  if (name === 'message') return <FirstMessage onArrived={look} />;
  if (name === 'delivery') return <FirstDelivery />;
  return (
    <>
      <Button size="sm" onClick={() => setOpen(true)}>
        {texts.steps[name].action}
      </Button>
      {isOpen && name === 'channel' && <CreateChannel onCreated={look} onClose={() => setOpen(false)} />}
      {/* What is shown once stays until its reader closes it. */}
      {isOpen && name === 'key' && <CreateKey onCreated={() => undefined} onClose={() => setOpen(false)} />}
      {isOpen && name === 'webhook' && (
        <CreateWebhook onCreated={() => undefined} onClose={() => setOpen(false)} />
      )}
    </>
  );
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
