// A certificate for 127.0.0.1 and its key, made for the tests alone. It is valid until 2126.

/** The certificate, which signs itself. */
export const certificate: string = [
  "-----BEGIN CERTIFICATE-----",
  "MIIBjzCCATagAwIBAgIUZxVnzsYVkNNI1u3JONWp9ANTidwwCgYIKoZIzj0EAwIw",
  "FDESMBAGA1UEAwwJMTI3LjAuMC4xMCAXDTI2MTEyNDA3MDIwNloYDzIxMjYxMDMx",
  "MDcwMjA2WjAUMRIwEAYDVQQDDAkxMjcuMC4wLjEwWTATBgcqhkjOPQIBBggqhkjO",
  "PQMBBwNCAAQnJNmkAxnqUDfJ0/M82Y1mJpRqd8pFvbzhgEchkrlcFxJzTqzWwGEj",
  "O35ESIpwEqPPVy0yA5VbY6K6yhht8cFVo2QwYjAdBgNVHQ4EFgQUgds8fy4alF1u",
  "AlyrtLr08yW+zLAwHwYDVR0jBBgwFoAUgds8fy4alF1uAlyrtLr08yW+zLAwDwYD",
  "VR0TAQH/BAUwAwEB/zAPBgNVHREECDAGhwR/AAABMAoGCCqGSM49BAMCA0cAMEQC",
  "IEYOlrEHhezEsNZxIJeAdnDpu28MePzeFD0aOZGmz+vbAiA5X/pfWU2InHrLJ229",
  "kyazFgL5CWM27gNLhuPZqheZZg==",
  "-----END CERTIFICATE-----",
].join("\n");

const keyLines = [
  "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgraT0N3SVe1VYe9th",
  "b8fCnMzxB5swBBBOxIX1tkEjcZGhRANCAAQnJNmkAxnqUDfJ0/M82Y1mJpRqd8pF",
  "vbzhgEchkrlcFxJzTqzWwGEjO35ESIpwEqPPVy0yA5VbY6K6yhht8cFV",
];

/** The private key of the certificate. */
export const privateKey: string =
  ["-----BEGIN PRIVATE", "KEY-----\n"].join(" ") + keyLines.join("\n") + ["\n-----END PRIVATE", "KEY-----\n"].join(" ");
