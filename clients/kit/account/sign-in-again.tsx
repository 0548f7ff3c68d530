/**
 * Above a page whose session has expired: who was signed in signs in again, and what they had typed is still there. Nothing else closes it, and
 * what is behind it cannot be read meanwhile.
 */
import { Anchor, Modal, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useApp } from '../app-identity.ts';
import { getUserId } from '../browser-session.ts';
import { useKitTexts } from '../texts/index.ts';
import { type NeededStep, SecondStep, useStepTexts } from './second-step.tsx';
import { SignInForm } from './sign-in-form.tsx';

/** Above every other dialog. */
const zIndex = 500;

/** Mantine closes no dialog by Escape that is pressed in an element with it. */
const keepsEscape = 'data-mantine-stop-propagation';

/** Escape would close the dialog behind this one, and what is typed in it would be lost. */
function keepEscape(content: HTMLElement | null): void {
  const dialog = content?.closest('[role="dialog"]');
  for (const element of [dialog, ...(dialog?.querySelectorAll('input, button, a') ?? [])]) {
    element?.setAttribute(keepsEscape, 'true');
  }
}

export default function SignInAgain({ email }: { readonly email: string | undefined }) {
  const { expired: texts, signIn } = useKitTexts().account;
  const { path } = useApp();
  const queries = useQueryClient();
  const [userId] = useState(getUserId);
  const [step, setStep] = useState<NeededStep>();
  const stepTexts = useStepTexts(step);
  // It has the focus while a button that was pressed is busy.
  useEffect(() => {
    document.body.setAttribute(keepsEscape, 'true');
    return () => document.body.removeAttribute(keepsEscape);
  }, []);
  const proceed = (): void => {
    // What is shown is not for somebody else.
    if (getUserId() !== userId) location.reload();
    else void queries.invalidateQueries();
  };
  return (
    <Modal
      opened
      onClose={() => undefined}
      closeOnEscape={false}
      closeOnClickOutside={false}
      withCloseButton={false}
      zIndex={zIndex}
      overlayProps={{ blur: 8 }}
      title={step === undefined ? texts.title : stepTexts.title}
    >
      <Stack key={step?.challenge} gap="md" ref={keepEscape}>
        <Text size="sm">{step === undefined ? texts.intro : stepTexts.intro}</Text>
        {step === undefined ? (
          <>
            <SignInForm {...(email !== undefined && { email })} onStep={setStep} onSignedIn={proceed} />
            {/* In another tab, which tells this one: what is typed here stays. */}
            <Anchor size="sm" href={`${path}/sso`} target="_blank" rel="noreferrer">
              {signIn.sso}
            </Anchor>
          </>
        ) : (
          <SecondStep step={step} onSignedIn={proceed} onLeave={() => setStep(undefined)} />
        )}
      </Stack>
    </Modal>
  );
}
