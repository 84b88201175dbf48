// lastcall/jwt: an `authenticate` for handlers, of the JSON Web Tokens of an issuer.

export { jwt, type JwtOptions } from "./jwt.js";
