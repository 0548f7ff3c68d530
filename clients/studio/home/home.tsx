/** The start of an environment: what is to be done until it works, with the next step ready to be taken. */
import { Button, Progress as Bar, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Check, Circle } from 'lucide-react';
import { Suspense, useState } from 'react';
import { lazyPart } from '../../kit/lazy-part.ts';
import { useKitTexts } from '../../kit/texts/index.ts';
import { ErrorNote } from '../parts/error-note.tsx';
import { Page } from '../parts/page.tsx';
import { useTenant } from '../shell/tenant.tsx';
import { useTexts } from '../texts/index.ts';
import { isAllDone, stepNames, type StepName, useProgress } from './checklist.ts';
import classes from './home.module.css';
import { type DialogName, isDialog } from './step-dialogs.ts';
import { VerifyStep } from './verify-step.tsx';

/** Forms are no part of the first page: they come when they are opened. */
const StepDialog = lazyPart(() => import('./step-dialog.tsx'));
const FirstMessage = lazyPart(() => import('./first-message.tsx'));

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
      <Suspense>
        {opened !== undefined && <StepDialog name={opened} onClose={() => setOpened(undefined)} />}
      </Suspense>
    </Page>
  );
}

interface NextStepProps {
  readonly name: Exclude<StepName, 'verify'>;
  readonly onOpen: (dialog: DialogName) => void;
}

function NextStep({ name, onOpen }: NextStepProps) {
  const texts = useTexts().home;
  if (isDialog(name)) {
    return (
      <Button size="sm" onClick={() => onOpen(name)}>
        {texts.steps[name].action}
      </Button>
    );
  }
  if (name === 'delivery') return <FirstDelivery />;
  return (
    <div className={classes['form']}>
      <Suspense>
        <FirstMessage />
      </Suspense>
    </div>
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
