"""Tells others in the house what everybody at the table may know: by MQTT and by a webhook.

It only tells. Nothing that comes in by these ways changes the game, or is even listened to, but
for Home Assistant's word that it has started.
"""
