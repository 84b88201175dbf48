// Keys and tokens that a vendor marks with its own prefix, each with the source of its shape.

import { exactToken, token } from "./build-format.js";
import type { Format } from "./format.js";
import { characters, type Characters } from "./match.js";

const alphanumeric = characters(/[A-Za-z0-9]/);
const word = characters(/[\w-]/);
const identifier = characters(/\w/);
const dotted = characters(/[\w.-]/);
const base64 = characters(/[A-Za-z0-9+/=_-]/);
const hex = characters(/[0-9a-fA-F]/);
const lowerHex = characters(/[0-9a-f]/);
const lowerText = characters(/[0-9a-z]/);
const upperWord = characters(/[A-Za-z0-9-]/);
const uuid = characters(/[0-9a-f-]/);
const bech32 = characters(/[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]/);

/** A prefix, the least number of characters after it, and their set. */
type Row = readonly [prefixes: readonly string[], least: number, set: Characters];

// Sources: G = gitleaks, config/gitleaks.toml; T = trufflehog, pkg/detectors; otherwise the vendor's documentation.

/** The token goes on to the last character of its set. */
const tokens: readonly Row[] = [
  [["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], 20, alphanumeric], // GitHub, G github-pat
  [["github_pat_"], 22, identifier], // GitHub, G github-fine-grained-pat
  [["glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glft-", "glsoat-", "gloas-", "glagent-"], 20, word], // GitLab, G gitlab-pat and more
  [["xoxa-", "xoxb-", "xoxe-", "xoxp-", "xoxr-", "xoxs-", "xapp-"], 10, word], // Slack, G slack-bot-token
  [["npm_"], 36, alphanumeric], // npm, G npm-access-token
  [["hf_"], 30, alphanumeric], // Hugging Face, G huggingface-access-token
  [["ya29."], 20, dotted], // Google OAuth access token, T googleoauth2
  [["pypi-AgE"], 50, word], // PyPI and TestPyPI, G pypi-upload-token
  [["dckr_pat_", "dckr_oat_"], 27, word], // Docker Hub, T dockerhub/v2
  [["lin_api_", "lin_oauth_"], 40, alphanumeric], // Linear, G linear-api-key
  [["ntn_"], 43, alphanumeric], // Notion, G notion-api-token
  [["figd_", "figu_", "figo_"], 40, word], // Figma, T figmapersonalaccesstoken/v2
  [["hvs.", "hvb."], 90, word], // HashiCorp Vault, G vault-service-token, vault-batch-token
  [["glsa_"], 32, identifier], // Grafana, G grafana-service-account-token
  [["sntrys_", "sntryu_"], 60, base64], // Sentry, G sentry-org-token, sentry-user-token
  [["fm1r_", "fm1a_", "fm2_", "fo1_"], 43, base64], // Fly.io, G flyio-access-token
  [["sbp_"], 40, alphanumeric], // Supabase, T supabasetoken
  [["rubygems_"], 48, lowerHex], // RubyGems, G rubygems-api-token
  [["pscale_tkn_", "pscale_pw_", "pscale_oauth_"], 32, dotted], // PlanetScale, G planetscale-api-token
  [["dp.pt."], 40, alphanumeric], // Doppler, G doppler-api-token
  [["ATATT3"], 100, base64], // Atlassian, G atlassian-api-token
  [["ops_eyJ"], 100, base64], // 1Password, G 1password-service-account-token
  [["cmVmdGtu"], 56, alphanumeric], // JFrog Artifactory, T artifactoryreferencetoken
  [["cfut_", "cfat_"], 40, alphanumeric], // Cloudflare, T cloudflareapitoken/v2
  [["vcp_", "vci_", "vca_", "vcr_", "vck_"], 40, alphanumeric], // Vercel's documentation of token formats
  [["napi_"], 48, alphanumeric], // Neon's documentation of API keys
  [["sha256~"], 43, word], // OpenShift, G openshift-user-token
  [["HRKU-AA"], 58, word], // Heroku, G heroku-api-key-v2
  [["sq0atp-", "sq0csp-"], 22, word], // Square, G square-access-token, T squareapp
  [["pul-"], 40, lowerHex], // Pulumi, G pulumi-api-token
  [["glimt-", "glffct-", "GR1348941"], 20, word], // GitLab, G gitlab-incoming-mail-token and more
];

const keys: readonly Row[] = [
  [["AIza"], 35, word], // Google, G gcp-api-key
  [["GOCSPX-"], 28, word], // Google OAuth client secret, sonar-text google-oauth-secret-with-prefix
  [["sk_live_", "sk_test_", "rk_live_", "rk_test_", "whsec_"], 16, alphanumeric], // Stripe, G stripe-access-token
  [["gsk_"], 52, alphanumeric], // Groq, T groq
  [["xai-"], 80, identifier], // xAI, T xai
  [["pplx-"], 48, alphanumeric], // Perplexity, G perplexity-api-key
  [["r8_"], 37, alphanumeric], // Replicate, T replicate
  [["nvapi-"], 60, word], // NVIDIA, T nvapi
  [["AGE-SECRET-KEY-1"], 58, bech32], // age, G age-secret-key
  [["ABSKQmVkcm9ja0FQSUtleS", "bedrock-api-key-YmVkcm9jay5hbWF6b25hd3MuY29t"], 40, base64], // Amazon Bedrock, G aws-amazon-bedrock-api-key
  [["AQ.Ab8RN6"], 30, word], // Google, Google's documentation of keys of Vertex AI and Gemini
  [["NRAK-", "NRII-"], 27, upperWord], // New Relic, T newrelicuserkey, G new-relic-insert-key
  [["tvly-"], 24, word], // Tavily's documentation of its API
  [["jina_"], 50, word], // Jina's documentation of its API
  [["xkeysib-"], 64, word], // Brevo, G sendinblue-api-token
  [["AKCp"], 69, alphanumeric], // JFrog Artifactory, G artifactory-api-key
  [["EZAK"], 54, alphanumeric], // EasyPost, G easypost-api-token
];

/** The token has a fixed length. A longer text is something else. */
const fixedTokens: readonly Row[] = [
  [["dop_v1_", "doo_v1_", "dor_v1_"], 64, lowerHex], // DigitalOcean, G digitalocean-pat
  [["shpat_", "shpca_", "shppa_", "shpss_"], 32, hex], // Shopify, G shopify-access-token
  [["secret_"], 43, alphanumeric], // Notion, T notion
  [["cio", "cio_tp_"], 32, alphanumeric], // crates.io, its own source: the prefixes of its tokens
  [["oy2"], 43, lowerText], // NuGet, T nugetapikey, with the prefix of nuget.org
  [["hvs."], 24, alphanumeric], // HashiCorp Vault, the short tokens of a development server; Vault's documentation of tokens
];

const fixedKeys: readonly Row[] = [
  [["key-"], 32, lowerHex], // Mailgun, T mailgun
  [["sk_"], 48, lowerHex], // ElevenLabs, T elevenlabs/v2
  [["sk-lf-"], 36, uuid], // Langfuse, T langfuse
];

export const vendorTokens: readonly Format[] = [
  ...tokens.map(([prefixes, least, set]) => token("token", prefixes, least, set)),
  ...keys.map(([prefixes, least, set]) => token("key", prefixes, least, set)),
  ...fixedTokens.map(([prefixes, length, set]) => exactToken("token", prefixes, length, set)),
  ...fixedKeys.map(([prefixes, length, set]) => exactToken("key", prefixes, length, set)),
];
