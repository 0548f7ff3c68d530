import '../kit/nonce.ts';
import '../kit/trusted-types.ts';
import { RouterProvider } from '@tanstack/react-router';
import { mount } from '../kit/app.tsx';
import { identity } from './identity.ts';
import { router } from './router.tsx';
import { TextsProvider } from './texts/index.ts';

mount(
  identity,
  <TextsProvider>
    <RouterProvider router={router} />
  </TextsProvider>,
);
