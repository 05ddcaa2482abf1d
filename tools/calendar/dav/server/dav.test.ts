import { expect, test } from 'vitest';
import { formatBasicAuth, createDavClient, parseMultistatus } from '#testing/kits/planning/dav.ts';
import { startServer, TEST_PASSWORD } from '#testing/kits/server/server.ts';
import { apppasswords, changepassword, revokeapppassword } from '#tools/accounts/contract.ts';

const NS =
  'xmlns="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav" xmlns:cs="http://calendarserver.org/ns/" xmlns:i="http://apple.com/ns/ical/"';
const createPropfind = (...names: readonly string[]): string =>
  `<?xml version="1.0"?><propfind ${NS}><prop>${names.map((name) => `<${name}/>`).join('')}</prop></propfind>`;

test('a client that only knows the host name finds the calendar', async () => {
  await using server = await startServer();
  const ada = await server.createAccount('Ada Löve');
  const client = await createDavClient(server, ada);
  const wellKnown = await client.xml('PROPFIND', '/.well-known/caldav', createPropfind('current-user-principal'));
  expect([wellKnown.status, wellKnown.headers.get('location')]).toEqual([301, '/dav/']);
  const username = 'Ada%20L%C3%B6ve';
  for (const [path, href] of [
    ['/', '/'],
    ['/dav', '/dav/'],
    ['/dav/', '/dav/'],
  ] as const) {
    const root = await client.xml('PROPFIND', path, createPropfind('current-user-principal'), { depth: '0' });
    expect(root.status).toBe(207);
    expect(parseMultistatus(root.text).responses).toEqual([
      { href, status: undefined, props: { 'd:current-user-principal': `/dav/principals/${username}/` }, others: {} },
    ]);
  }
  const principal = await client.xml(
    'PROPFIND',
    `/dav/principals/${username}`,
    createPropfind(
      'c:calendar-home-set',
      'displayname',
      'c:calendar-user-address-set',
      'c:schedule-inbox-URL',
      'principal-URL',
    ),
    { depth: '0' },
  );
  expect(parseMultistatus(principal.text).responses).toEqual([
    {
      href: `/dav/principals/${username}/`,
      status: undefined,
      props: {
        'c:calendar-home-set': `/dav/calendars/${username}/`,
        'd:displayname': 'Ada Löve',
        'c:calendar-user-address-set': `/dav/principals/${username}/`,
        'd:principal-URL': `/dav/principals/${username}/`,
      },
      others: { 404: ['c:schedule-inbox-URL'] },
    },
  ]);
  const home = await client.xml(
    'PROPFIND',
    `/dav/calendars/${username}/`,
    createPropfind('resourcetype', 'displayname'),
  );
  expect(parseMultistatus(home.text).responses.map(({ href, props }) => [href, props['d:resourcetype']])).toEqual([
    [`/dav/calendars/${username}/`, '<d:collection>'],
    [`/dav/calendars/${username}/events/`, '<d:collection> <c:calendar>'],
  ]);
});

test('the calendar describes itself and what clients may do', async () => {
  await using server = await startServer();
  const client = await createDavClient(server, await server.createAccount('ada'));
  const names = [
    'current-user-privilege-set',
    'owner',
    'supported-report-set',
    'sync-token',
    'cs:getctag',
    'c:supported-calendar-component-set',
    'c:max-resource-size',
    'c:calendar-description',
    'c:calendar-timezone',
    'i:calendar-color',
    'getetag',
    'quota-used-bytes',
  ];
  const answer = await client.xml('PROPFIND', client.collection, createPropfind(...names), { depth: '0' });
  const [calendar] = parseMultistatus(answer.text).responses;
  expect(parseMultistatus(answer.text).responses).toHaveLength(1);
  expect(calendar?.props).toMatchObject({
    'd:owner': '/dav/principals/ada/',
    'c:max-resource-size': '1048576',
    'ical:calendar-color': '#5B4BD4FF',
    'c:calendar-description': 'The events of ada',
  });
  expect(calendar?.props['c:calendar-timezone']).toMatch(/^BEGIN:VCALENDAR\r\n[^]*\r\nTZID:[^]*END:VCALENDAR\r\n$/);
  expect(answer.text).toContain('<c:comp name="VEVENT"/>');
  for (const name of ['read', 'write', 'write-content', 'bind', 'unbind'])
    expect(answer.text).toContain(`<d:privilege><d:${name}/></d:privilege>`);
  for (const name of ['c:calendar-query', 'c:calendar-multiget', 'd:sync-collection'])
    expect(answer.text).toContain(`<d:report><${name}/></d:report>`);
  expect(calendar?.others).toEqual({ 404: ['d:getetag', 'd:quota-used-bytes'] });
  const everything = await client.xml('PROPFIND', client.collection, undefined, { depth: '0' });
  expect(parseMultistatus(everything.text).responses[0]?.props).toHaveProperty('cs:getctag');
  const request = `<propfind ${NS}><propname/></propfind>`;
  const only = await client.xml('PROPFIND', client.collection, request, { depth: '0' });
  expect(parseMultistatus(only.text).responses[0]?.props).toMatchObject({ 'cs:getctag': '', 'd:sync-token': '' });
});

test('requested properties are all returned, and allprop returns only the default ones', async () => {
  await using server = await startServer();
  const client = await createDavClient(server, await server.createAccount('ada'));
  await client.put(
    'x.ics',
    'BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nUID:x\r\nDTSTART;VALUE=DATE:20261201\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n',
  );
  const getProps = async (path: string, body?: string) =>
    parseMultistatus((await client.xml('PROPFIND', path, body, { depth: '0' })).text).responses[0]?.props ?? {};
  const listNames = async (path: string, body?: string) => Object.keys(await getProps(path, body));
  for (const path of ['/dav/principals/ada/', '/dav/calendars/ada/', client.collection, `${client.collection}x.ics`]) {
    const names = await listNames(path, `<propfind ${NS}><propname/></propfind>`);
    const all = await listNames(path, `<propfind ${NS}><allprop/></propfind>`);
    expect(names).toEqual(expect.arrayContaining(all));
    // RFC 3744 and 4791: none of these unless it is requested.
    expect(all.filter((name) => /^c:|acl|privilege|supported|owner|principal|sync-token/.test(name))).toEqual([]);
    const listed = await listNames(
      path,
      createPropfind(...names.map((name) => name.replace(/^d:|^ical/, (one) => (one === 'd:' ? '' : 'i')))),
    );
    expect(listed.toSorted()).toEqual(names.toSorted());
  }
  const calendar = await getProps(
    client.collection,
    createPropfind('c:min-date-time', 'c:max-date-time', 'c:max-resource-size'),
  );
  expect(calendar).toEqual({
    'c:min-date-time': '00010101T000000Z',
    'c:max-date-time': '99991231T235959Z',
    'c:max-resource-size': '1048576',
  });
  const { text } = await client.xml('PROPFIND', client.collection, createPropfind('supported-privilege-set', 'acl'), {
    depth: '0',
  });
  expect(text).toContain('<d:privilege><c:read-free-busy/></d:privilege>');
  expect(text).toContain(
    '<d:href>/dav/principals/ada/</d:href></d:principal><d:grant><d:privilege><d:read/></d:privilege>',
  );
  for (const body of ['<allprop/><propname/>', '<undefined/>', '']) {
    const answer = await client.xml('PROPFIND', client.collection, `<propfind ${NS}>${body}</propfind>`);
    expect([body, answer.status]).toEqual([body, 400]);
  }
});

test('with Prefer: return=minimal only existing properties are returned', async () => {
  await using server = await startServer();
  const client = await createDavClient(server, await server.createAccount('ada'));
  const body = createPropfind('displayname', 'getetag');
  for (const headers of [{ prefer: 'return=minimal' }, { prefer: 'depth-noroot, return="minimal"' }, { brief: 't' }]) {
    const answer = await client.xml('PROPFIND', client.collection, body, { ...headers, depth: '0' });
    expect(parseMultistatus(answer.text).responses).toMatchObject([
      { props: { 'd:displayname': 'Pegboard' }, others: {} },
    ]);
    expect(answer.headers.get('preference-applied')).toBe('return=minimal');
  }
  const nothing = await client.xml('PROPFIND', client.collection, createPropfind('getetag'), {
    prefer: 'return=minimal',
  });
  expect(parseMultistatus(nothing.text).responses).toMatchObject([{ props: {}, others: {} }]);
});

test('every request without a valid app password must provide one, whatever it sends and wherever', async () => {
  await using server = await startServer();
  const ada = await server.createAccount('ada');
  const client = await createDavClient(server, ada);
  const invalidHeaders = [
    '',
    `Bearer ${ada.token}`,
    formatBasicAuth('ada', ada.token),
    formatBasicAuth('ada', TEST_PASSWORD),
    formatBasicAuth('bob', client.password),
    `Basic ${client.password}`,
    'Basic',
    'Basic ====',
    'Digest username="ada"',
  ];
  for (const authorization of invalidHeaders)
    for (const path of ['/dav/', client.collection, '/dav/calendars/bob/events/', '/dav/nowhere']) {
      const answer = await client.xml('PROPFIND', path, undefined, { authorization, cookie: `usertoken=${ada.token}` });
      expect([answer.status, answer.headers.get('www-authenticate'), answer.text]).toEqual([
        401,
        'Basic realm="Pegboard", charset="UTF-8"',
        '',
      ]);
    }
  const query = await client.request('GET', `${client.collection}?token=${ada.token}`, {
    headers: { authorization: '' },
  });
  expect(query.status).toBe(401);
});

test('a revoked app password stops working immediately, and a new account password revokes all of them', async () => {
  await using server = await startServer({ isCluster: false }); // an instance saves its last uses after a minute
  const ada = await server.createAccount('ada');
  const [first, second] = [await createDavClient(server, ada), await createDavClient(server, ada)];
  const getStatus = async (client: typeof first) => (await client.xml('PROPFIND', '/dav/')).status;
  expect([await getStatus(first), await getStatus(second)]).toEqual([207, 207]);
  const { passwords } = await ada.call(apppasswords, {});
  expect(passwords).toMatchObject([{ name: 'Test', address: '127.0.0.1' }, { address: '127.0.0.1' }]);
  await ada.call(revokeapppassword, { id: passwords[1]?.id ?? 0 });
  expect([await getStatus(first), await getStatus(second)]).toEqual([401, 207]);
  await ada.call(changepassword, { password: TEST_PASSWORD, newPassword: 'another horse staple' });
  expect(await getStatus(second)).toBe(401);
});

test('a username with any characters has a calendar of its own', async () => {
  await using server = await startServer({ rateLimits: false });
  for (const name of ['..', '.', 'a/b', 'c: d', '100%', 'é & <ü>', '%2e%2e', 'q?x#y', '👋']) {
    const account = await server.createAccount(name);
    const client = await createDavClient(server, account);
    const root = await client.xml('PROPFIND', '/dav/', createPropfind('current-user-principal'), { depth: '0' });
    const principal = parseMultistatus(root.text).responses[0]?.props['d:current-user-principal'] ?? '';
    const response = await client.xml('PROPFIND', principal, createPropfind('displayname', 'c:calendar-home-set'), {
      depth: '0',
    });
    const props = parseMultistatus(response.text).responses[0]?.props;
    expect(props?.['d:displayname']).toBe(name);
    const home = await client.xml('PROPFIND', props?.['c:calendar-home-set'] ?? '', createPropfind('owner'));
    expect(parseMultistatus(home.text).responses.map(({ props: { 'd:owner': owner } }) => owner)).toEqual([
      principal,
      principal,
    ]);
  }
});

test('places of other users and missing places get the same answer', async () => {
  await using server = await startServer();
  const bob = await createDavClient(server, await server.createAccount('bob'));
  const ada = await createDavClient(server, await server.createAccount('ada'));
  await bob.put(
    'secret.ics',
    'BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nUID:s\r\nDTSTART;VALUE=DATE:20261201\r\nSUMMARY:Secret\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n',
  );
  const methods = ['GET', 'HEAD', 'PUT', 'DELETE', 'PROPFIND', 'PROPPATCH', 'REPORT', 'MKCALENDAR', 'MOVE', 'LOCK'];
  async function readAnswer(path: string) {
    const answers = [];
    for (const method of methods) {
      const { status, text } = await ada.request(method, path);
      answers.push([method, status, text]);
    }
    return answers;
  }
  const otherPaths = ['/dav/principals/bob/', '/dav/calendars/bob/', bob.collection, `${bob.collection}secret.ics`];
  for (const path of otherPaths)
    expect(await readAnswer(path)).toEqual(await readAnswer(path.replace('bob', 'nobody')));
  expect((await bob.request('GET', `${bob.collection}secret.ics`)).text).toContain('SUMMARY:Secret');
  const multiget = `<c:calendar-multiget ${NS}><prop><getetag/><c:calendar-data/></prop><href>${bob.collection}secret.ics</href></c:calendar-multiget>`;
  const answer = await ada.xml('REPORT', ada.collection, multiget);
  expect(parseMultistatus(answer.text).responses).toMatchObject([{ status: '404', props: {} }]);
  expect(answer.text).not.toContain('Secret');
});

test('unsupported methods are refused as the protocol requires', async () => {
  await using server = await startServer();
  const client = await createDavClient(server, await server.createAccount('ada'));
  const options = await client.request('OPTIONS', '/dav/', { headers: { authorization: '' } });
  expect([options.status, options.headers.get('dav')]).toEqual([200, '1, 3, calendar-access']);
  expect(options.headers.get('allow')).toBe('OPTIONS, GET, HEAD, PUT, DELETE, PROPFIND, PROPPATCH, REPORT');
  for (const method of ['MKCALENDAR', 'MKCOL'])
    expect((await client.request(method, '/dav/calendars/ada/more/')).status).toBe(403);
  for (const method of ['LOCK', 'UNLOCK', 'COPY', 'MOVE', 'POST', 'PATCH', 'ACL', 'SEARCH']) {
    const answer = await client.request(method, client.collection);
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, options.headers.get('allow')]);
  }
  const patch = `<propertyupdate ${NS}><set><prop><displayname>Mine</displayname><i:calendar-color>#FF0000</i:calendar-color></prop></set></propertyupdate>`;
  const patched = await client.xml('PROPPATCH', client.collection, patch);
  expect(parseMultistatus(patched.text).responses).toEqual([
    {
      href: client.collection,
      status: undefined,
      props: {},
      others: { 403: ['d:displayname', 'ical:calendar-color'] },
    },
  ]);
  const infinity = await client.xml('PROPFIND', client.collection, undefined, { depth: 'infinity' });
  expect([infinity.status, infinity.text.includes('<d:propfind-finite-depth/>')]).toEqual([403, true]);
  const search = await client.xml('REPORT', '/dav/principals/', `<principal-search-property-set ${NS}/>`);
  expect([search.status, search.text.includes('<d:supported-report/>')]).toEqual([403, true]);
  for (const method of ['GET', 'PUT', 'DELETE'])
    expect((await client.request(method, '/dav/')).status, method).toBeGreaterThanOrEqual(403);
});
