/**
 * Single sign-on:
 *
 *   asking (the address) -> at the identity provider -> back here: finishing -> signed in, or a second factor is wanted, or what went wrong
 *
 * Providers lead back to the page of Studio, whichever app was left.
 */
import { Button, Stack, Text } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useApp } from '../app-identity.ts';
import { anonymous, signIn } from '../browser-session.ts';
import { useKitTexts } from '../texts/index.ts';
import { AccountPage, Problem, ToSignIn } from './account-page.tsx';
import { EmailField, useAccountForm } from './fields.tsx';
import { toPathIn } from './problems.ts';
import { type NeededStep, readNeededStep, SecondStep, useStepTexts } from './second-step.tsx';
import { keepFlow, ssoAnswer, type SsoAnswer, takeFlow } from './sso-answer.ts';
import { useSubmission } from './use-submission.ts';

export function SingleSignOn() {
  const [answer, setAnswer] = useState<SsoAnswer | undefined>(ssoAnswer);
  const { sso } = useKitTexts().account;
  const [problem, setProblem] = useState<string>();
  const fail = useCallback((text: string): void => {
    setProblem(text);
    setAnswer(undefined);
  }, []);
  if (answer === undefined) return <Ask problem={problem} />;
  if (answer.code === null || answer.state === null) return <Ask problem={sso.denied} />;
  return <Finish code={answer.code} state={answer.state} issuer={answer.issuer} onFail={fail} />;
}

function Ask({ problem: former }: { readonly problem: string | undefined }) {
  const { sso: texts } = useKitTexts().account;
  const { path } = useApp();
  const { to } = useSearch({ from: '/sso' });
  const { isSending, problem, run } = useSubmission({ usedLink: texts.unknown });
  const form = useAccountForm({ email: true });
  const submit = form.onSubmit(({ email }) => {
    void run(async () => {
      const { flow, url } = await anonymous.auth.beginSingleSignOn({ email: email.trim() });
      keepFlow({ flow, to: `${path}${toPathIn(path, to)}` });
      location.assign(url);
    });
  });
  return (
    <AccountPage title={texts.title} intro={texts.intro} footer={<ToSignIn />}>
      <form onSubmit={submit} noValidate>
        <Stack>
          <EmailField form={form} />
          <Problem text={problem ?? former} />
          <Button type="submit" size="sm" loading={isSending}>
            {texts.proceed}
          </Button>
        </Stack>
      </form>
    </AccountPage>
  );
}

interface FinishProps {
  readonly code: string;
  readonly state: string;
  readonly issuer: string | null;
  readonly onFail: (problem: string) => void;
}

function Finish({ code, state, issuer, onFail }: FinishProps) {
  const { sso: texts } = useKitTexts().account;
  const { isSending, problem, run } = useSubmission({ usedLink: texts.over, expiredLink: texts.over });
  const [step, setStep] = useState<NeededStep>();
  const stepTexts = useStepTexts(step);
  const target = useRef('/studio');
  const isBegun = useRef(false);
  useEffect(() => {
    // What the provider has sent is of use once.
    if (isBegun.current) return;
    isBegun.current = true;
    const kept = takeFlow();
    if (kept === undefined) return onFail(texts.over);
    target.current = kept.to;
    let wanted: NeededStep | undefined;
    void run(async () => {
      try {
        signIn(
          await anonymous.auth.finishSingleSignOn({
            flow: kept.flow,
            code,
            state,
            ...(issuer !== null && { issuer }),
          }),
        );
      } catch (error) {
        wanted = readNeededStep(error);
        if (wanted === undefined) throw error;
      }
    }).then(isIn => {
      if (wanted !== undefined) setStep(wanted);
      else if (isIn) location.replace(kept.to);
    });
  }, [code, state, issuer, onFail, run, texts.over]);
  useEffect(() => {
    if (problem !== undefined && !isSending) onFail(problem);
  }, [problem, isSending, onFail]);
  if (step !== undefined) {
    return (
      <AccountPage title={stepTexts.title} intro={stepTexts.intro}>
        <SecondStep
          step={step}
          onSignedIn={() => location.replace(target.current)}
          onLeave={() => onFail(texts.over)}
        />
      </AccountPage>
    );
  }
  return (
    <AccountPage title={texts.title} footer={<ToSignIn />}>
      <Text size="sm" role="status">
        {texts.finishing}
      </Text>
    </AccountPage>
  );
}
