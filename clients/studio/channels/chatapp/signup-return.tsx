/**
 * Where the chat provider leads back to: connects the channel that the sign-up was begun for, and goes on to it.
 *
 *   asking for the PIN, where the number has one -> connecting -> the page of the channel, or what went wrong
 */
import { Button, Stack, Text } from '@mantine/core';
import { Navigate } from '@tanstack/react-router';
import { type FormEvent, useEffect, useState } from 'react';
import { AccountPage, PageLink } from '../../../kit/account/account-page.tsx';
import { texts as all } from '../../texts/chatapp.ts';
import { PinInput } from './connect-dialog.tsx';
import { ConnectProblem } from './connect-problem.tsx';
import { signupAnswer } from './signup-answer.ts';
import { connectOnce, isConnecting } from './signup-connection.ts';
import { type SignupFlow, takeSignup } from './signup.ts';

const texts = all.back;

/** Taken once: what the provider has sent is of use once. */
const flow = signupAnswer === undefined ? undefined : takeSignup(signupAnswer.state);

export function SignupReturn() {
  if (signupAnswer === undefined || flow === undefined) {
    return <Ended text={texts.lost} />;
  }
  const { code, error } = signupAnswer;
  if (code === null) {
    return <Ended text={texts.denied} more={error === null ? undefined : texts.said(error)} flow={flow} />;
  }
  return <Connecting code={code} flow={flow} />;
}

interface ConnectingProps {
  readonly code: string;
  readonly flow: SignupFlow;
}

function Connecting({ code, flow }: ConnectingProps) {
  /** Undefined: it is still asked for. */
  const [pin, setPin] = useState(flow.hasPin && !isConnecting() ? undefined : '');
  const [outcome, setOutcome] = useState<'begun' | { readonly error: unknown }>();
  useEffect(() => {
    if (pin === undefined) return;
    connectOnce(code, pin, flow).then(
      () => setOutcome('begun'),
      (error: unknown) => setOutcome({ error }),
    );
  }, [code, pin, flow]);
  if (outcome === 'begun') {
    const { projectId, environmentId, channelId } = flow;
    const params = { projectId, environmentId, channelId };
    return <Navigate to="/$projectId/$environmentId/channels/$channelId" params={params} replace />;
  }
  if (outcome !== undefined) {
    return (
      <AccountPage title={texts.failed} footer={<ToChannel flow={flow} />}>
        <ConnectProblem error={outcome.error} place={flow} />
      </AccountPage>
    );
  }
  if (pin === undefined) return <AskForPin flow={flow} onGiven={setPin} />;
  return (
    <AccountPage title={texts.title}>
      <Text size="sm" role="status">
        {texts.working}
      </Text>
    </AccountPage>
  );
}

interface AskForPinProps {
  readonly flow: SignupTarget;
  readonly onGiven: (pin: string) => void;
}

function AskForPin({ flow, onGiven }: AskForPinProps) {
  const [pin, setPin] = useState('');
  const give = (event: FormEvent): void => {
    event.preventDefault();
    onGiven(pin);
  };
  return (
    <AccountPage title={texts.pinTitle} intro={texts.pinHint} footer={<ToChannel flow={flow} />}>
      <form onSubmit={give} autoComplete="off">
        <Stack gap="md">
          <PinInput value={pin} onChange={setPin} />
          <Button type="submit" size="sm" disabled={!/^[0-9]{6}$/.test(pin)}>
            {all.form.connect}
          </Button>
        </Stack>
      </form>
    </AccountPage>
  );
}

interface EndedProps {
  readonly text: string;
  readonly more?: string | undefined;
  readonly flow?: SignupFlow;
}

function Ended({ text, more, flow: ended }: EndedProps) {
  return (
    <AccountPage
      title={texts.title}
      footer={ended === undefined ? <PageLink to="/">{texts.toStart}</PageLink> : <ToChannel flow={ended} />}
    >
      <Text size="sm" role="alert">
        {text}
      </Text>
      {more !== undefined && (
        <Text size="sm" c="dimmed">
          {more}
        </Text>
      )}
    </AccountPage>
  );
}

type SignupTarget = Omit<SignupFlow, 'hasPin'>;

function ToChannel({ flow: { projectId, environmentId, channelId } }: { readonly flow: SignupTarget }) {
  return (
    <PageLink
      to="/$projectId/$environmentId/channels/$channelId"
      params={{ projectId, environmentId, channelId }}
    >
      {texts.toChannel}
    </PageLink>
  );
}
