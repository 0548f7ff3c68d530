import { Button, Center, Paper, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useRouter, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { anonymous, session } from '../../kit/browser-session.ts';
import { ApiError } from '../../sdk/index.ts';
import { useTexts } from '../texts/index.ts';

export function SignIn() {
  const texts = useTexts().signIn;
  const router = useRouter();
  const { to = '/' } = useSearch({ from: '/sign-in' });
  const [problem, setProblem] = useState<string>();
  const form = useForm({ mode: 'uncontrolled', initialValues: { email: '', password: '' } });

  const signIn = form.onSubmit(async values => {
    setProblem(undefined);
    try {
      session.take(await anonymous.auth.login(values));
      router.history.push(`/console${to.replace(/^\/console/, '')}`);
    } catch (error) {
      const isWrong = error instanceof ApiError && error.status === 401;
      setProblem(isWrong ? texts.wrong : texts.unreachable);
    }
  });

  return (
    <Center h="100%">
      <Paper component="main" withBorder p="xl" w={360}>
        <form onSubmit={signIn}>
          <Stack>
            <Title order={1}>{texts.title}</Title>
            <TextInput
              label={texts.email}
              type="email"
              autoComplete="username"
              required
              autoFocus
              key={form.key('email')}
              {...form.getInputProps('email')}
            />
            <PasswordInput
              label={texts.password}
              autoComplete="current-password"
              required
              key={form.key('password')}
              {...form.getInputProps('password')}
            />
            <Text role="alert" size="sm" c="var(--mantine-color-error)">
              {problem}
            </Text>
            <Button type="submit" size="sm" loading={form.submitting}>
              {texts.submit}
            </Button>
          </Stack>
        </form>
      </Paper>
    </Center>
  );
}
