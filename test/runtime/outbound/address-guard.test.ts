/** What the guard lets through, in every notation that an address has (docs/contract-decisions.md, "Outbound address guard"). */
import { networkInterfaces } from 'node:os';
import fc from '../../support/fuzz.ts';
import t from 'tap';
import {
  AddressGuard,
  BlockedAddress,
  getHost,
  isAllowed,
  getUrlRefusal,
  classifyAddress,
} from '../../../runtime/outbound/address-guard.ts';

const forbidden: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.1', '127.255.255.254', '::1', '0:0:0:0:0:0:0:1'],
  unspecified: ['0.0.0.0', '0.1.2.3', '::'],
  private: [
    '10.0.0.1',
    '10.255.255.255',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    'fc00::1',
    'fd12:3456::1',
  ],
  'link-local': ['169.254.169.254', '169.254.0.1', 'fe80::1', 'febf::1', 'fe80::1%eth0'],
  'site-local': ['fec0::1'],
  CGNAT: ['100.64.0.1', '100.127.255.255'],
  multicast: ['224.0.0.1', '239.255.255.255', 'ff02::1', 'ff0e::1'],
  reserved: [
    '192.0.0.1',
    '192.0.2.1',
    '198.18.0.1',
    '198.51.100.1',
    '203.0.113.1',
    '240.0.0.1',
    '255.255.255.255',
  ],
  'reserved, version 6': ['2001:db8::1', '3fff::1', '100::1', '4000::1', '5f00::1', 'e000::1'],
  'protocol assignments': ['2001::1', '2001:2::1', '2001:10::1', '2001:20::1'],
  'IPv4-mapped': ['::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:8.8.8.8', '0:0:0:0:0:ffff:10.0.0.1'],
  'IPv4-compatible': ['::127.0.0.1', '::7f00:1', '::a00:1', '::808:808'],
  NAT64: ['64:ff9b::7f00:1', '64:ff9b::8.8.8.8', '64:ff9b:1::a00:1'],
  '6to4': ['2002:7f00:1::', '2002:808:808::1'],
  'IPv4-translated': ['::ffff:0:127.0.0.1'],
};

t.test('addresses that are never public', async t => {
  for (const [sort, addresses] of Object.entries(forbidden)) {
    for (const address of addresses) t.equal(isAllowed(address, 'public'), false, `${sort}: ${address}`);
  }
  for (const text of [
    '',
    'localhost',
    '127.1',
    '0x7f000001',
    '2130706433',
    '017700000001',
    '1.2.3',
    'example.com',
  ]) {
    t.equal(isAllowed(text, 'public'), false, `no address: ${text}`);
  }
});

t.test('addresses that are public', async t => {
  for (const address of [
    '8.8.8.8',
    '1.1.1.1',
    '172.32.0.1',
    '100.128.0.1',
    '2606:4700:4700::1111',
    '2a00:1450::1',
  ]) {
    t.equal(isAllowed(address, 'public'), true, address);
  }
});

t.test('loopback can be allowed alone', async t => {
  for (const address of forbidden['loopback'] ?? []) t.equal(isAllowed(address, 'loopback'), true, address);
  for (const [sort, addresses] of Object.entries(forbidden)) {
    if (sort === 'loopback') continue;
    for (const address of addresses) t.equal(isAllowed(address, 'loopback'), false, `${sort}: ${address}`);
  }
  t.equal(isAllowed('10.0.0.1', 'any'), true);
});

t.test(
  'what hands out the credentials of a cloud is refused in every notation, however far the guard is opened',
  async t => {
    const addresses = [
      ...['169.254.169.254', '169.254.170.2', '168.63.129.16', '100.100.100.200', '192.0.0.192'],
      ...['fd00:ec2::254', 'fd00:ec2:0:0::254', 'fd20:ce::254'],
      ...[
        '::ffff:169.254.169.254',
        '::ffff:a9fe:a9fe',
        '::a9fe:a9fe',
        '64:ff9b::a9fe:a9fe',
        '2002:a9fe:a9fe::',
      ],
      ...['::ffff:0:169.254.169.254', '::ffff:168.63.129.16', '64:ff9b::168.63.129.16'],
    ];
    for (const reach of ['public', 'loopback', 'any'] as const) {
      for (const address of addresses) t.equal(isAllowed(address, reach), false, `${reach}: ${address}`);
      const guard = new AddressGuard(reach, () => Promise.resolve(['8.8.8.8', 'fd00:ec2::254']));
      await t.rejects(guard.check('metadata.example', 80), BlockedAddress);
      for (const host of ['169.254.169.254', '2852039166', '0xa9fea9fe', '[fd00:ec2::254]']) {
        t.match(getUrlRefusal(new URL(`http://${host}/latest`), { reach }), /public/, host);
      }
    }
  },
);

t.test(
  'ports of other protocols than HTTP are refused, by the URL and when the connection is made',
  async t => {
    const guard = new AddressGuard('any', () => Promise.resolve(['8.8.8.8']));
    for (const port of [22, 25, 465, 587, 5432, 3306, 6379, 11211, 27017, 4222, 2375, 6667]) {
      t.match(getUrlRefusal(new URL(`http://example.com:${port}/`), { reach: 'any' }), /port/);
      await t.rejects(guard.check('example.com', port), BlockedAddress);
    }
    for (const port of [80, 443, 3000, 8000, 8080, 8443, 40_000]) {
      t.equal(getUrlRefusal(new URL(`http://example.com:${port}/`), { reach: 'any' }), undefined);
      t.equal((await guard.check('example.com', port)).length, 1);
    }
  },
);

t.test('the own ports are refused on every address of this machine, and nowhere else', async t => {
  const own = Object.values(networkInterfaces()).flatMap(found => found?.map(({ address }) => address) ?? []);
  const guard = new AddressGuard(
    'any',
    host => Promise.resolve([host === 'localhost' ? '127.0.0.1' : '192.0.2.1']),
    [8080],
  );
  for (const host of [
    '127.0.0.1',
    '127.9.9.9',
    '::1',
    '0.0.0.0',
    '::',
    '::ffff:127.0.0.1',
    'localhost',
    ...own,
  ]) {
    await t.rejects(guard.check(host, 8080), BlockedAddress, host);
    if (host !== '::') t.equal((await guard.check(host, 8081)).length, 1, host);
  }
  t.equal((await guard.check('somewhere.example', 8080)).length, 1);
});

t.test('no address of version 6 that carries one of version 4 is public', async t => {
  const byte = fc.integer({ min: 0, max: 255 });
  fc.assert(
    fc.property(
      fc.tuple(byte, byte, byte, byte),
      fc.constantFrom('::ffff:', '::', '64:ff9b::', '::ffff:0:'),
      (bytes, prefix) => {
        return classifyAddress(`${prefix}${bytes.join('.')}`) !== 'public';
      },
    ),
  );
  t.pass();
});

const refused = (address: string, httpsOnly = false): string | undefined =>
  getUrlRefusal(new URL(address), { reach: 'public', httpsOnly });

t.test('URLs', async t => {
  t.equal(refused('https://example.com/hook'), undefined);
  t.equal(refused('http://example.com:8080/hook'), undefined);
  t.match(refused('http://example.com/', true), /https/);
  t.match(refused('ftp://example.com/'), /http/);
  t.match(refused('javascript:alert(1)'), /http/);
  t.match(refused('https://user@example.com/'), /credentials/);
  t.match(refused('https://user:secret@example.com/'), /credentials/);
  t.match(refused('https://:secret@example.com/'), /credentials/);

  t.comment('every notation of 127.0.0.1 that a URL can have');
  const notations = [
    '127.0.0.1',
    '127.1',
    '127.0.1',
    '0x7f000001',
    '0x7f.1',
    '2130706433',
    '017700000001',
    '0177.0.0.1',
    '127.0.0.1.',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[0:0:0:0:0:0:0:1]',
    '%31%32%37.0.0.1',
    '１２７.０.０.１',
    'localhost',
    'LOCALHOST',
    'localhost.',
    'a.localhost',
  ];
  for (const host of notations) t.match(refused(`http://${host}/`), /public/, host);
  t.equal(getHost(new URL('http://[::1]:80/')), '::1');
  t.equal(getUrlRefusal(new URL('http://127.0.0.1/'), { reach: 'loopback' }), undefined);
  t.equal(getUrlRefusal(new URL('http://localhost/'), { reach: 'loopback' }), undefined);
  t.match(getUrlRefusal(new URL('http://10.0.0.1/'), { reach: 'loopback' }), /public/);
});

t.test('one private record among public ones refuses the host', async t => {
  const names: Readonly<Record<string, readonly string[]>> = {
    'good.test': ['8.8.8.8', '2606:4700:4700::1111'],
    'mixed.test': ['8.8.8.8', '10.0.0.1'],
    'mixed6.test': ['8.8.8.8', '::1'],
    'mapped.test': ['::ffff:10.0.0.1'],
  };
  const guard = new AddressGuard('public', host => Promise.resolve(names[host] ?? []));
  t.strictSame(await guard.check('good.test', 443), [
    { address: '8.8.8.8', family: 4 },
    { address: '2606:4700:4700::1111', family: 6 },
  ]);
  for (const host of ['mixed.test', 'mixed6.test', 'mapped.test', '10.0.0.1', '::1']) {
    await t.rejects(guard.check(host, 443), BlockedAddress, host);
  }
  t.strictSame(
    await guard.check('8.8.8.8', 443),
    [{ address: '8.8.8.8', family: 4 }],
    'an address is not resolved',
  );
});
