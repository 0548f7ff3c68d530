/** Signing in, the frame around everything, queues and lists. */
export const shell = {
  appName: 'Console',
  signIn: {
    title: 'Sign in',
    email: 'E-mail',
    password: 'Password',
    submit: 'Sign in',
    forgot: 'Forgotten your password?',
    wrong: 'The e-mail address or the password is wrong.',
    unreachable: 'The server cannot be reached. Try again in a moment.',
  },
};
