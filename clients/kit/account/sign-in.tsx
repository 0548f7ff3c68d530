import { useRouter, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useApp } from '../app-identity.ts';
import { useKitTexts } from '../texts/index.ts';
import { AccountPage, PageLink } from './account-page.tsx';
import { toPathIn } from './problems.ts';
import { type NeededStep, SecondStep, useStepTexts } from './second-step.tsx';
import { SignInForm } from './sign-in-form.tsx';
import { isSignUpOpen } from './sign-up-open.ts';

export function SignIn() {
  const { signIn: texts } = useKitTexts().account;
  const router = useRouter();
  const { path } = useApp();
  const { to } = useSearch({ from: '/sign-in' });
  const [step, setStep] = useState<NeededStep>();
  const stepTexts = useStepTexts(step);
  const proceed = () => router.history.push(`${path}${toPathIn(path, to)}`);

  if (step !== undefined) {
    return (
      <AccountPage title={stepTexts.title} intro={stepTexts.intro}>
        <SecondStep step={step} onSignedIn={proceed} onLeave={() => setStep(undefined)} />
      </AccountPage>
    );
  }

  return (
    <AccountPage
      title={texts.title}
      footer={
        <>
          <PageLink to="/sso" search={to === undefined ? {} : { to }}>
            {texts.sso}
          </PageLink>
          <PageLink to="/forgot-password">{texts.forgot}</PageLink>
          {isSignUpOpen && <PageLink to="/sign-up">{texts.signUp}</PageLink>}
        </>
      }
    >
      <SignInForm onStep={setStep} onSignedIn={proceed} />
    </AccountPage>
  );
}
