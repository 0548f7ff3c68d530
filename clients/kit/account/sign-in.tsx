import { useRouter, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useApp } from '../app-identity.ts';
import { useKitTexts } from '../texts/index.ts';
import { AccountPage, PageLink } from './account-page.tsx';
import { toPathIn } from './problems.ts';
import { SecondStep } from './second-step.tsx';
import { SignInForm } from './sign-in-form.tsx';
import { isSignUpOpen } from './sign-up-open.ts';

export function SignIn() {
  const { signIn: texts, secondStep } = useKitTexts().account;
  const router = useRouter();
  const { path } = useApp();
  const { to } = useSearch({ from: '/sign-in' });
  const [challenge, setChallenge] = useState<string>();
  const proceed = () => router.history.push(`${path}${toPathIn(path, to)}`);

  if (challenge !== undefined) {
    return (
      <AccountPage title={secondStep.title} intro={secondStep.intro}>
        <SecondStep challenge={challenge} onSignedIn={proceed} onLeave={() => setChallenge(undefined)} />
      </AccountPage>
    );
  }

  return (
    <AccountPage
      title={texts.title}
      footer={
        <>
          <PageLink to="/forgot-password">{texts.forgot}</PageLink>
          {isSignUpOpen && <PageLink to="/sign-up">{texts.signUp}</PageLink>}
        </>
      }
    >
      <SignInForm onChallenge={setChallenge} onSignedIn={proceed} />
    </AccountPage>
  );
}
