import type { FastifyInstance } from 'fastify';
import type { CertificateAuthority } from './authority.ts';

const TYPE = 'application/x-x509-ca-cert';

/** The authority's certificate for everybody, over plain http too: a phone has to have it before https works. */
export const registerAuthorityRoute = (
  http: FastifyInstance,
  authority: () => CertificateAuthority | undefined,
): void => {
  const files = {
    '/trust/pegboard-ca.crt': ({ certificate }: CertificateAuthority) => certificate.raw,
    '/trust/pegboard-ca.pem': ({ certificate }: CertificateAuthority) => certificate.toString(),
  };
  for (const [url, read] of Object.entries(files))
    http.route({
      method: ['GET', 'HEAD'],
      url,
      handler: (_request, reply) => {
        reply.header('cache-control', 'no-store');
        const own = authority();
        if (own) return reply.type(TYPE).send(read(own));
        return reply.code(404).type('text/plain').send('This server serves no https itself: HTTPS_PORT is off.\n');
      },
    });
};
